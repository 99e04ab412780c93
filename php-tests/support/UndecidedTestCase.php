<?php

/** A lease on three servers of its own, which leaveUndecided() can leave with one that holds it, one that lost it and a silent one. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

use RedLock\Harness\Fleet;
use RedLock\Lease;
use RedLock\LockManager;

abstract class UndecidedTestCase extends ServerTestCase
{
    protected Fleet $servers;
    protected LockManager $locks;
    protected Lease $lease;

    protected function setUp(): void
    {
        $this->servers = $this->fleet(3);
        $this->locks = new LockManager($this->servers->specs(null, 0.2));
        $this->lease = $this->locks->acquire('r', 60_000, 0, ['atEnd' => 'keep']) ?? self::fail('the lock could not be taken');
    }
}
