<?php

/** The demo's course: four acts, then a summary; see bin/demo. Argument 1: the seconds that building took. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Harness\Fleet;
use RedLock\Harness\Program;
use RedLock\Harness\RedisServer;

require __DIR__ . '/../harness/autoload.php';

$begun = hrtime(true);
$prepared = (int) ($argv[1] ?? 0);
$display = LiveTable::fits(STDOUT) ? new LiveTable() : new PlainLines();
Program::begin('demo', 'start it with bin/demo', ['redlock', 'pcntl'], $display->close(...));

try {
    $fleet = new Fleet(5);
    $acts = [Act::redLock($fleet), Act::leases($fleet), Act::inLine($fleet), Act::pidLock($fleet)];
    $seconds = array_sum(array_map(static fn (Act $act): float => $act->seconds(), $acts));
    $display->open($fleet, basename(RedisServer::program()), $seconds);
    foreach ($acts as $act) {
        $act->play($display);
    }
} finally {
    $display->close();
}

$good = true;
echo "\nSummary\n";
foreach ($acts as $act) {
    foreach ($act->summary() as $line) {
        echo "  $line\n";
    }
    $good = $good && $act->isGood();
}
echo $good ? "  All is well: never two inside at once, and no turn was lost.\n" : "  SOMETHING WENT WRONG.\n";
$seconds = (hrtime(true) - $begun) / 1e9;
printf("bin/demo: %.0f s in all, %d s of them preparing and building\n", $seconds + $prepared, $prepared);
exit($good ? 0 : 1);
