<?php

/**
 * One worker: takes the lock, goes inside past the witness, comes out, gives the lock back, and so on until SIGTERM.
 *
 * Argument 1 is JSON. Says "turn <microseconds waited> <nanoseconds on the clock when it got the lock>" after each
 * turn, "trouble <what>" for an exception, and "done" at the end. Waiting begins when it asks, after its rest.
 */

declare(strict_types=1);

use RedLock\Tests\Support\LegacyPidLock;
use RedLock\Tests\Support\RespClient;
use RedLock\Tests\Support\Witness;

require __DIR__ . '/../php-tests/support/autoload.php';

const LEASE_SECONDS = 3;

[
    'name' => $name, 'kind' => $kind, 'servers' => $servers, 'folder' => $folder,
    'inside_us' => $insideUs, 'rest_us' => $restUs,
] = json_decode($argv[1], true);
[$host, $port] = $servers[0];

if ($kind === 'RedLock') {
    $redLock = new RedLock($servers, retryDelay: 12, retryCount: 5);
    $take = static fn (): array|false => $redLock->lock('demo', LEASE_SECONDS * 1000);
    $give = static fn (array $lock): bool => $redLock->unlock($lock);
} else {
    $pidLock = $kind === 'PidLock'
        ? new PidLock("$host:$port", ['mixedFleet' => true])
        : new LegacyPidLock(new RespClient("tcp://$host:$port"));
    $take = static fn (): int => $pidLock->getPidLock('demo', LEASE_SECONDS, 0.004, 20);
    $give = static fn (): bool => $pidLock->releasePidLock('demo');
}

$goOn = true;
pcntl_async_signals(true);
pcntl_signal(SIGTERM, static function () use (&$goOn): void {
    $goOn = false;
});
// Ctrl-C reaches the whole process group; the main program sees to the end.
pcntl_signal(SIGINT, SIG_IGN);

$witness = new Witness($folder);
$since = hrtime(true);
while ($goOn) {
    try {
        $lock = $take();
    } catch (RedLock\Exception $exception) {
        echo 'trouble ', get_class($exception), ': ', $exception->getMessage(), "\n";
        usleep(100_000);
        continue;
    }
    if (!$lock) {
        continue;
    }
    $got = hrtime(true);
    $waited = intdiv($got - $since, 1000);
    $witness->enter($name);
    usleep($insideUs);
    $witness->leave();
    $give($lock);
    echo "turn $waited $got\n";
    usleep($restUs);
    $since = hrtime(true);
}
echo "done\n";
