<?php

/** A subclass as old code wrote it, with no types at all. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

final class UntypedRedLock extends \RedLock
{
    public function lock($resource, $ttl)
    {
        return 'overridden';
    }

    public function unlock(array $lock)
    {
    }
}
