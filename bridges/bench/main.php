<?php

/**
 * Measures one bridge and its framework's own Redis store, and prints the table of the bridge's README.
 *
 * usage: php main.php BRIDGE PROJECT CLIENTS SECONDS   (bridges/bench/run starts it)
 */

declare(strict_types=1);

use RedLock\Bridges\Bench\Contenders;
use RedLock\Bridges\Bench\Crowd;
use RedLock\Harness\Fleet;
use RedLock\Harness\Program;

[, $bridge, $project, $clients, $seconds] = $argv;
require __DIR__ . '/../../harness/autoload.php';
require "$project/vendor/autoload.php";
require __DIR__ . '/Contenders.php';
require __DIR__ . '/Crowd.php';

Program::begin('bridges/bench/run', 'start it as bridges/bench/run', ['redlock', 'redis', 'pcntl', 'posix']);
echo "$bridge: $clients clients, 5 ms inside, $seconds s for each line\n\n";
printf("| %s | locks/s | longest wait | requests per lock and server |\n|---|---|---|---|\n", $bridge === 'php-lock' ? 'mutex' : 'store');
foreach (Contenders::of($bridge) as $name => [$servers, $make]) {
    $fleet = new Fleet($servers);
    $ports = array_map(static fn ($server): int => $server->port, $fleet->servers);
    $crowd = new Crowd((int) $clients, (float) $seconds, static fn (): \Closure => $make($ports));
    $before = Crowd::requests($fleet);
    [$locks, $longest] = $crowd->run();
    $requests = (Crowd::requests($fleet) - $before) / max(1, $locks) / $servers;
    printf("| %s | %.0f | %s | %.1f |\n", $name, $locks / $seconds, $longest < 1 ? round($longest * 1000) . ' ms' : round($longest, 1) . ' s', $requests);
    $fleet->end();
}
echo "\n";
