<?php

/**
 * Lets several PHP threads of one process take locks on private servers, and checks what they say.
 *
 * usage: check.php EXTENSION PROGRAM [ARGUMENT...]
 *
 * The program may be valgrind and php-threads its argument. Prints a line for each claim; exit status 1
 * when one does not hold.
 */

declare(strict_types=1);

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Fleet;
use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;

require __DIR__ . '/../../../harness/autoload.php';

const WAVES = 2;
const THREADS = 8;
const REQUESTS = 5;
const TURNS = 50; // in each request, as turns.php has them
const SECONDS_MAX = 300.0;

[, $extension] = $argv;
$program = array_slice($argv, 2);
$broken = 0;
$claim = static function (string $text, mixed $expected, mixed $found) use (&$broken): void {
    $good = $expected === $found;
    $broken += $good ? 0 : 1;
    echo $good ? 'ok' : 'FAILED', ": $text", $good ? '' : ': ' . json_encode([$expected, $found]), "\n";
};

$fleet = new Fleet(3);
putenv('REDLOCK_SPECS=' . json_encode($fleet->specs(timeout: 5.0)));
/** @return list<int> a number from INFO of every server */
$info = static fn (string $section, string $name): array => $fleet->each(
    static fn (RespClient $client): int => preg_match("/^$name:(\d+)/m", $client->call('INFO', $section), $match)
        ? (int) $match[1] : -1,
);

$settings = "extension=$extension\ndisplay_errors=1\nhtml_errors=0\nerror_reporting=-1\nmax_execution_time=0\n";
$before = $info('stats', 'total_connections_received');
$process = new ChildProcess(
    [...$program, $settings, __DIR__ . '/turns.php', ...array_map(strval(...), [WAVES, THREADS, REQUESTS])],
);
$reports = $noise = $connections = [];
for ($wave = 0; $wave < WAVES; $wave++) {
    while (($line = $process->readLine(SECONDS_MAX)) !== "wave $wave over") {
        $report = json_decode($line, true);
        is_array($report) ? $reports[] = $report : $noise[] = $line;
    }
    // Each time of asking is a connection too.
    $after = $info('stats', 'total_connections_received');
    $connections[] = array_map(static fn (int $a, int $b): int => $a - $b - 1, $after, $before);
    try {
        Wait::until(static fn (): bool => $info('clients', 'connected_clients') === [1, 1, 1], 'the connections to end');
        $open = 0;
    } catch (RuntimeException) {
        $open = max($info('clients', 'connected_clients')) - 1;
    }
    $claim('connections end with their threads', 0, $open);
    $before = $info('stats', 'total_connections_received');
    $process->writeLine('');
}
$exit = $process->wait(SECONDS_MAX);
while (($line = $process->pollLine()) !== null) {
    $noise[] = $line;
}

$requests = WAVES * THREADS * REQUESTS;
$claim('every thread had all its turns', $requests * TURNS, array_sum(array_column($reports, 'turns')));
$claim('nobody was inside with another', 0, array_sum(array_column($reports, 'overlaps')));
$claim(
    'each thread has connections of its own and keeps them over its requests',
    array_fill(0, WAVES, array_fill(0, 3, THREADS)),
    $connections,
);
$claim('nothing stays on the servers', 0, $fleet->keyCount());
$claim('no leak, race or error is reported', [], $noise);
$claim('the process ends well', 0, $exit);
printf("%d turns of %d threads\n", array_sum(array_column($reports, 'turns')), WAVES * THREADS);
exit($broken === 0 ? 0 : 1);
