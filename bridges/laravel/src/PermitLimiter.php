<?php

/** Lets so many in at a time, each with a permit: who waits is in line at the servers, and does not ask again. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Cache\Limiters\ConcurrencyLimiter;
use Illuminate\Cache\Limiters\LimiterTimeoutException;

/** @internal */
final class PermitLimiter extends ConcurrencyLimiter
{
    /**
     * Without a callback the permit is held until its time is over.
     *
     * @param int $sleep has nothing to do
     * @throws LimiterTimeoutException
     * @throws \RedLock\QuorumException
     */
    public function block($timeout, $callback = null, $sleep = 250)
    {
        // A funnel that lets nobody in is one that is closed.
        $permit = $this->maxLocks < 1 ? null
            : $this->store->permit($this->name, (int) $this->maxLocks, $this->releaseAfter, $timeout);
        if ($permit === null) {
            throw new LimiterTimeoutException();
        }
        if (!is_callable($callback)) {
            $permit->detach();
            return true;
        }
        try {
            return $callback();
        } finally {
            // In a child of a fork it is a copy, which has no permit.
            $permit->release();
        }
    }
}
