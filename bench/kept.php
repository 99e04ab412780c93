<?php

// A process with leases that a thread keeps alive: `kept.php PORTS` answers `keep N TTL_MS`, `sleep MS` and
// `lose N TTL_MS` on standard input with one line of JSON each.

declare(strict_types=1);

namespace Bench;

use RedLock\LeaseLostException;
use RedLock\LockManager;

const LEASES_MAX = 20000;

/** @return list<\RedLock\Lease> */
function take(LockManager $locks, string $prefix, int $count, int $ttlMs, array $options): array
{
    $leases = [];
    for ($i = 0; $i < min($count, LEASES_MAX); $i++) {
        $leases[] = $locks->acquire("$prefix:$i", $ttlMs, 0, $options)
            ?? throw new \RuntimeException("$prefix:$i is taken");
    }

    return $leases;
}

function memory_kib(): int
{
    preg_match('/^VmRSS:\s+(\d+)/m', file_get_contents('/proc/self/status'), $found);

    return (int) $found[1];
}

/** How often the threads beside this one went to sleep so far. */
function sleeps_of_others(): int
{
    $sleeps = 0;
    foreach (glob('/proc/self/task/*') as $task) {
        if (basename($task) === (string) getmypid()) {
            continue;
        }
        preg_match('/^voluntary_ctxt_switches:\s+(\d+)/m', file_get_contents("$task/status"), $found);
        $sleeps += (int) $found[1];
    }

    return $sleeps;
}

function cpu_seconds(): float
{
    $usage = getrusage();

    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']
        + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}

/** @return array<string, mixed> how much more each lease takes that is kept, beside those that are not */
function keep(LockManager $locks, array &$leases, int $count, int $ttlMs): array
{
    $first = memory_kib();
    $plain = take($locks, 'plain', $count, $ttlMs, []);
    $second = memory_kib();
    $leases = take($locks, 'kept', $count, $ttlMs, ['keepAlive' => true]);
    $third = memory_kib();

    return ['plain_bytes' => ($second - $first) * 1024 / $count, 'kept_bytes' => ($third - $second) * 1024 / $count];
}

/** @return array<string, mixed> what the thread did while PHP slept */
function sleep_beside(array $leases, int $ms): array
{
    $cpu = cpu_seconds();
    $sleeps = sleeps_of_others();
    $begin = hrtime(true);
    usleep($ms * 1000);
    $seconds = (hrtime(true) - $begin) / 1e9;
    $live = count(array_filter($leases, static fn (\RedLock\Lease $lease) => $lease->isLive()));

    return ['cpu_share' => (cpu_seconds() - $cpu) / $seconds, 'live' => $live, 'of' => count($leases),
        'wake_ups_per_minute' => (sleeps_of_others() - $sleeps) / $seconds * 60, 'threads' => count(glob('/proc/self/task/*'))];
}

/** @return array<string, list<float>> how long a lost lease passed for live, and how long behind that it was thrown, ms */
function lose(LockManager $locks, int $count, int $ttlMs): array
{
    $lost = ['noticed_ms' => [], 'thrown_ms' => []];
    for ($i = 0; $i < min($count, LEASES_MAX); $i++) {
        [$lease] = take($locks, 'lost', 1, $ttlMs, ['keepAlive' => true, 'interrupt' => true]);
        usleep(random_int(0, intdiv($ttlMs * 1000, 3)));
        $locks->forceRelease($lease->resource);
        $gone = $live = hrtime(true);
        try {
            while (true) {
                $live = $lease->isLive() ? hrtime(true) : $live;
            }
        } catch (LeaseLostException) {
            $thrown = hrtime(true);
        }
        $lost['noticed_ms'][] = ($live - $gone) / 1e6;
        $lost['thrown_ms'][] = ($thrown - $live) / 1e6;
    }

    return $lost;
}

$locks = new LockManager(array_map(static fn (string $port) => "127.0.0.1:$port", explode(',', $argv[1])));
$leases = [];
echo json_encode(['ready' => true]), "\n";
while (($line = fgets(STDIN)) !== false) {
    [$verb, $first, $second] = explode(' ', trim($line)) + ['', '0', '0'];
    $answer = match ($verb) {
        'keep' => keep($locks, $leases, (int) $first, (int) $second),
        'sleep' => sleep_beside($leases, (int) $first),
        'lose' => lose($locks, (int) $first, (int) $second),
    };
    echo json_encode($answer, JSON_THROW_ON_ERROR), "\n";
}
