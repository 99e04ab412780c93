<?php

/** Starts a soak of so many minutes (argument 1) with a seed (2) and the extension (3), and cleans up; see bin/soak. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Tests\Support\ChildProcess;
use RedLock\Tests\Support\TempFolder;

require __DIR__ . '/../php-tests/support/autoload.php';
spl_autoload_register(static function (string $class): void {
    $path = __DIR__ . '/' . basename(str_replace('\\', '/', $class)) . '.php';
    if (str_starts_with($class, __NAMESPACE__ . '\\') && is_file($path)) {
        require $path;
    }
});

if (!extension_loaded('redlock')) {
    fwrite(STDERR, "soak: the extension redlock is not loaded; start it with bin/soak\n");
    exit(1);
}

pcntl_async_signals(true);
foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
    pcntl_signal($signal, static function (int $signal): never {
        // A second Ctrl-C must not get in the way of cleaning up.
        pcntl_signal(SIGINT, SIG_IGN);
        ChildProcess::endAll();
        fwrite(STDERR, "soak: interrupted; everything that was started has been ended\n");
        exit(128 + $signal);
    });
}

[, $minutes, $seed, $built] = $argv;
// Clients start all the time; whoever builds meanwhile must not pull the extension from under them.
$extension = TempFolder::make() . '/redlock.so';
copy($built, $extension);
printf("redlock soak: seed %d (bin/soak --minutes %d --seed %d fires the same faults)\n", $seed, $minutes, $seed);
try {
    $good = (new Soak((int) $minutes, (int) $seed, $extension))->run();
} finally {
    ChildProcess::endAll();
}
exit($good ? 0 : 1);
