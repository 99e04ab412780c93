<?php

/** SIGTERM in the middle of the work: the lease is released at once, and not left to its ttl. */

use RedLock\LockManager;

final class Stopped extends RuntimeException
{
}

pcntl_async_signals(true);
pcntl_signal(SIGTERM, static fn () => throw new Stopped());

$locks = new LockManager('127.0.0.1:6379');
try {
    $locks->synchronized('import', function () {
        echo "importing\n";
        posix_kill(getmypid(), SIGTERM);   // what a deployment does
        while (true) {
            usleep(10_000);
        }
    }, ttl: 60_000);
} catch (Stopped) {
    // Whoever waits for the import has it already.
    $lease = $locks->acquire('import');
    echo $lease !== null ? "stopped, and released\n" : "busy\n";
}
