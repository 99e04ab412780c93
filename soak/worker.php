<?php

/**
 * One client: takes the lock, goes inside past the witness, comes out, gives the lock back, and so on until SIGTERM.
 *
 * Argument 1 is JSON. Says "turn" after each, "extended" for one that was, "late" for one that outlasted its lock,
 * "trouble" for an exception, and "done" at the end. It may be killed anywhere.
 */

declare(strict_types=1);

use RedLock\Tests\Support\Wait;
use RedLock\Tests\Support\Witness;

require __DIR__ . '/../php-tests/support/autoload.php';

const INSIDE_US = 3_000;

['name' => $name, 'kind' => $kind, 'servers' => $servers, 'folder' => $folder, 'lease' => $lease]
    = json_decode($argv[1], true);

$extends = false;
if ($kind === 'RedLock') {
    $redLock = new RedLock($servers, retryDelay: 20, retryCount: 5);
    // A lock that is extended is taken for half a lease each time, so that no key lives longer than one.
    $take = static function () use ($redLock, $lease, &$extends): array|false {
        return $redLock->lock('soak', (int) ($lease * ($extends ? 500 : 1000)));
    };
    $extend = static fn (array $lock): array|false => $redLock->extend($lock, (int) ($lease * 500));
    $validSeconds = static fn (array $lock): float => $lock['validity'] / 1000;
    $give = static fn (array $lock): bool => $redLock->unlock($lock);
} else {
    $pidLock = new PidLock(['host' => $servers[0][0], 'port' => $servers[0][1]]);
    $take = static fn (): int => $pidLock->getPidLock('soak', $lease - 0.001, 0.02, 4);
    $validSeconds = static fn (): float => $pidLock->remainingPidLock('soak');
    $give = static fn (): bool => $pidLock->releasePidLock('soak');
}

$goOn = true;
pcntl_async_signals(true);
pcntl_signal(SIGTERM, static function () use (&$goOn): void {
    $goOn = false;
});
// Ctrl-C reaches the whole process group; the main program sees to the end.
pcntl_signal(SIGINT, SIG_IGN);

$witness = new Witness($folder);
while ($goOn) {
    $inside = false;
    $extends = $kind === 'RedLock' && random_int(0, 7) === 0;
    try {
        $lock = $take();
        if (!$lock) {
            continue;
        }
        // What a pause leaves of the validity after this line, the word "late" tells.
        $until = Wait::now() + $validSeconds($lock);
        $witness->enter($name);
        $inside = true;
        usleep(INSIDE_US);
        if ($extends && ($longer = $extend($lock)) !== false) {
            // Counted from the answer: a pause before this line would make it too late a moment, by less than a pause.
            $lock = $longer;
            $until = max($until, Wait::now() + $validSeconds($longer));
            echo "extended\n";
        }
        usleep(INSIDE_US);
        $witness->leave();
        $inside = false;
        echo Wait::now() > $until ? "late\n" : '', "turn\n";
        $give($lock);
    } catch (RedLock\Exception $exception) {
        echo "trouble\n";
        if ($inside) {
            $witness->leave();
            echo "turn\n";
        }
        usleep(50_000);
    }
    usleep(random_int(20_000, 80_000));
}
echo "done\n";
