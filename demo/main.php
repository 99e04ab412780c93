<?php

/** The demo's course: two acts, then a summary; see bin/demo. Argument 1: the seconds that building took. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Tests\Support\ChildProcess;
use RedLock\Tests\Support\Fleet;
use RedLock\Tests\Support\RedisServer;

require __DIR__ . '/../php-tests/support/autoload.php';
spl_autoload_register(static function (string $class): void {
    $path = __DIR__ . '/' . basename(str_replace('\\', '/', $class)) . '.php';
    if (str_starts_with($class, __NAMESPACE__ . '\\') && is_file($path)) {
        require $path;
    }
});

if (!extension_loaded('redlock')) {
    fwrite(STDERR, "demo: the extension redlock is not loaded; start it with bin/demo\n");
    exit(1);
}

$begun = hrtime(true);
$prepared = (int) ($argv[1] ?? 0);
$display = LiveTable::fits(STDOUT) ? new LiveTable() : new PlainLines();
pcntl_async_signals(true);
foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
    pcntl_signal($signal, static function (int $signal) use ($display): never {
        // A second Ctrl-C must not get in the way of cleaning up.
        pcntl_signal(SIGINT, SIG_IGN);
        $display->close();
        ChildProcess::endAll();
        fwrite(STDERR, "demo: interrupted; everything that was started has been ended\n");
        exit(128 + $signal);
    });
}

try {
    $fleet = new Fleet(5);
    $acts = [Act::redLock($fleet), Act::pidLock($fleet)];
    $seconds = array_sum(array_map(static fn (Act $act): float => $act->seconds(), $acts));
    $display->open($fleet, basename(RedisServer::program()), $seconds);
    foreach ($acts as $act) {
        $act->play($display);
    }
} finally {
    $display->close();
    ChildProcess::endAll();
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
