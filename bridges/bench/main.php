<?php

/**
 * Measures one bridge and its framework's own Redis store by turns, and prints the table of the bridge's README.
 *
 * usage: php main.php BRIDGE PROJECT CLIENTS SECONDS ROUNDS   (bridges/bench/run starts it)
 */

declare(strict_types=1);

use RedLock\Bridges\Bench\Contenders;
use RedLock\Bridges\Bench\Crowd;
use RedLock\Bridges\Bench\Turns;
use RedLock\Harness\Fleet;
use RedLock\Harness\Program;

[, $bridge, $project, $clients, $seconds, $rounds] = $argv;
require __DIR__ . '/../../harness/autoload.php';
require "$project/vendor/autoload.php";
require __DIR__ . '/Contenders.php';
require __DIR__ . '/Crowd.php';
require __DIR__ . '/Turns.php';

/** Who asks again at once gets a lock that is polled for before the others have woken; who rests between is like requests that come. */
const REST_MS = 20;

Program::begin('bridges/bench/run', 'start it as bridges/bench/run', ['redlock', 'redis', 'pcntl', 'posix']);
/** @return array<string, Turns> by the name of the contender */
function measure(string $bridge, int $clients, int $seconds, int $rounds, int $restMs): array
{
    $turns = [];
    for ($round = 0; $round < $rounds; ++$round) {
        foreach (Contenders::of($bridge) as $name => [$servers, $make]) {
            $fleet = new Fleet($servers);
            $ports = array_map(static fn ($server): int => $server->port, $fleet->servers);
            $crowd = new Crowd($clients, $seconds, $restMs, static fn (): \Closure => $make($ports));
            $before = Crowd::requests($fleet);
            [$locks, $longest] = $crowd->run();
            $turns[$name] ??= new Turns();
            $turns[$name]->add($locks / $seconds, $longest, (Crowd::requests($fleet) - $before) / max(1, $locks) / $servers);
            $fleet->end();
        }
    }
    return $turns;
}

printf("%s: %d clients, 5 ms inside, %d rounds of %d s for each by turns; ", $bridge, $clients, $rounds, $seconds);
printf("%d cores, load average %.1f at the start\n\n", `nproc`, sys_getloadavg()[0]);
$atOnce = measure($bridge, (int) $clients, (int) $seconds, (int) $rounds, 0);
$rested = measure($bridge, (int) $clients, (int) $seconds, (int) $rounds, REST_MS);
printf("| %s | locks/s | longest wait | with a rest: locks/s | longest wait | requests per lock and server |\n", $bridge === 'php-lock' ? 'mutex' : 'store');
echo "|---|---|---|---|---|---|\n";
foreach ($atOnce as $name => $of) {
    echo "| $name | {$of->beside(reset($atOnce))} | {$rested[$name]->beside(reset($rested))} | {$rested[$name]->requests()} |\n";
}
echo "\n";
