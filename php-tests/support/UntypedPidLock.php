<?php

/** A subclass as old code wrote it, with no types at all. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

final class UntypedPidLock extends \PidLock
{
    public function getPidLock($pid, $lock_timeout, $sleep_time = 0, $retry_times = 0, $buffer_time = 0.001)
    {
        return 7;
    }

    protected function _getLockKey($pid)
    {
        return "mine:$pid";
    }
}
