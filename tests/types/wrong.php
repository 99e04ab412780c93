<?php

/** Mistakes that PHPStan finds by the stubs: on every line that says so, and on no other. It is never run. */

declare(strict_types=1);

namespace Wrong;

use RedLock\Lease;
use RedLock\LockManager;

function wrong(LockManager $locks, \RedLock $redLock, Lease $lease): int
{
    $options = ['keepAlive' => true, 'ownr' => 'web-3'];
    new LockManager('10.0.0.1', ['timout' => 0.2]); // wrong
    new LockManager('10.0.0.1', ['onEvent' => static fn (int $event): int => $event]); // wrong
    new \RedLock([['10.0.0.1', 6379]], 200, 3, ['drift' => 0.01]); // wrong
    new \RedLock\RedLock([17]); // wrong
    new \PidLock('10.0.0.1', ['unit' => 'us']); // wrong
    new \PidLock('10.0.0.1', ['unit' => 's', 'mixed' => true]); // wrong
    $locks->acquire('a', 1000, 0, $options); // wrong
    $locks->acquire('a', 1000, 0, ['keepalive' => true]); // wrong
    $locks->acquire('a', 1000, 0, ['ttl' => 1000]); // wrong
    $locks->acquire('a', 1000, 0, ['atEnd' => 'never']); // wrong
    $locks->acquire('a')->release(); // wrong
    $locks->synchronized('a', static fn (): int => 1, 1000, null, ['intrrupt' => true]); // wrong
    $locks->synchronized('a', static fn (int $lease): int => $lease); // wrong
    $locks->synchronized(['a', 1.5], static fn (): int => 1); // wrong
    $locks->acquireShared(['a', 'b']); // wrong
    $locks->acquireShared('a', 1000, 0, ['shared' => true]); // wrong
    $lease->promote('soon'); // wrong
    $locks->acquireAll('a'); // wrong
    $locks->acquireAll(['a', null]); // wrong
    $locks->acquireAll(['a', 'b'], 1000, 0, ['ownr' => 'web-3']); // wrong
    $locks->attach(['resource' => 'a', 'token' => 'b']); // wrong
    $locks->attach($lease->handle(), ['owner' => 'web-3']); // wrong
    $redLock->unlock(['resource' => 'a']); // wrong
    $redLock->unlock(null); // wrong
    $redLock->extend(['resource' => 'a'], 1000); // wrong
    echo $redLock->lock('a', 1000)['validity']; // wrong
    echo $lease->handle()['ttl']; // wrong
    $lease->token = 'mine'; // wrong
    return $locks->synchronized('a', static fn (): string => 'a'); // wrong
}
