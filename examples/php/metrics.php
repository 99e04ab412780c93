<?php

/**
 * The counters of LockManager::stats() as OpenMetrics text, for Prometheus and others: serve what
 * open_metrics() gives as application/openmetrics-text; version=1.0.0; charset=utf-8. They are those of
 * one process, so each worker is a target of its own, or has a label of its own.
 */

use RedLock\LockManager;

const COUNTERS = [
    'acquired' => 'Leases that were acquired.',
    'denied' => 'Leases that were refused at once.',
    'timedOut' => 'Leases that were refused after a wait.',
    'unreachable' => 'Calls for which no majority of the servers could be asked.',
    'extended' => 'Leases that extend() prolonged.',
    'lost' => 'Losses that were noticed.',
    'released' => 'Leases that were given back while live.',
    'handedOver' => 'Leases that were handed over by a release of another.',
    'undone' => 'Leases that were won too late, or given up while the servers were asked.',
];
const HISTOGRAMS = [
    'waits' => ['wait', 'How long it took to get a lease.'],
    'holds' => ['hold', 'How long a lease was held.'],
];

/** @return list<string> */
function family(string $name, string $type, string $help, string $unit = ''): array
{
    $lines = ["# TYPE $name $type", "# HELP $name $help"];
    return $unit === '' ? $lines : [$lines[0], "# UNIT $name $unit", $lines[1]];
}

/** @param array<string, string> $labels */
function sample(string $name, array $labels, int|float $value): string
{
    $pairs = [];
    foreach ($labels as $label => $text) {
        $pairs[] = $label . '="' . strtr($text, ['\\' => '\\\\', '"' => '\\"', "\n" => '\\n']) . '"';
    }
    return $name . ($pairs === [] ? '' : '{' . implode(',', $pairs) . '}') . " $value";
}

/**
 * Of stats() each bucket counts for itself, here each counts the ones below it too. `$seconds` is the
 * sum, which stats() does not have.
 *
 * @param array<int|string, int> $counts
 * @return list<string>
 */
function histogram(string $name, string $help, array $counts, float $seconds): array
{
    $lines = family($name, 'histogram', $help, 'seconds');
    $sum = 0;
    foreach ($counts as $ms => $count) {
        $sum += $count;
        $bound = $ms === '+Inf' ? '+Inf' : json_encode((float) $ms / 1000, JSON_PRESERVE_ZERO_FRACTION);
        $lines[] = sample("{$name}_bucket", ['le' => $bound], $sum);
    }
    return [...$lines, sample("{$name}_count", [], $sum), sample("{$name}_sum", [], round($seconds, 6))];
}

/** @param array<string, array<string, mixed>> $servers */
function of_servers(array $servers): array
{
    $requests = family('redlock_server_requests', 'counter', 'What was asked of a server.');
    $errors = family('redlock_server_errors', 'counter', 'What went wrong with a server, by its word.');
    $trips = family('redlock_server_round_trip_seconds', 'gauge', 'Within how long answers came.', 'seconds');
    foreach ($servers as $server => $of) {
        $requests[] = sample('redlock_server_requests_total', ['server' => $server], $of['requests']);
        foreach ($of['errors'] as $word => $count) {
            $errors[] = sample('redlock_server_errors_total', ['server' => $server, 'fault' => $word], $count);
        }
        foreach (['0.5' => 'roundTripP50', '0.99' => 'roundTripP99'] as $quantile => $key) {
            if ($of[$key] !== null) {
                $labels = ['server' => $server, 'quantile' => (string) $quantile];
                $trips[] = sample('redlock_server_round_trip_seconds', $labels, $of[$key] / 1000);
            }
        }
    }
    return [...$requests, ...$errors, ...$trips];
}

/** @param array{waits: float, holds: float} $seconds summed up from the events */
function open_metrics(LockManager $locks, array $seconds): string
{
    $stats = $locks->stats();
    $lines = [];
    foreach (COUNTERS as $key => $help) {
        $name = 'redlock_leases_' . strtolower((string) preg_replace('/[A-Z]/', '_$0', $key));
        array_push($lines, ...family($name, 'counter', $help), ...[sample("{$name}_total", [], $stats[$key])]);
    }
    foreach (HISTOGRAMS as $key => [$word, $help]) {
        array_push($lines, ...histogram("redlock_lease_{$word}_seconds", $help, $stats[$key], $seconds[$key]));
    }
    return implode("\n", [...$lines, ...of_servers($stats['servers']), '# EOF']) . "\n";
}

$seconds = ['waits' => 0.0, 'holds' => 0.0];
$locks = new LockManager('127.0.0.1:6379', ['onEvent' => function (string $event, array $facts) use (&$seconds): void {
    match ($event) {
        'acquired' => $seconds['waits'] += $facts['waited'] / 1000,
        'released', 'lost' => $seconds['holds'] += $facts['held'] / 1000,
        default => null,
    };
}]);
for ($order = 1; $order <= 3; $order++) {
    $locks->synchronized("invoice:$order", fn () => usleep(2_000));
}
echo open_metrics($locks, $seconds);
