<?php

/** What `Cache::funnel()` returns: Laravel's builder, of a limiter that waits in line. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;

final class Funnel extends ConcurrencyLimiterBuilder
{
    /** @return PermitLimiter */
    protected function createLimiter()
    {
        return new PermitLimiter($this->connection->getStore(), $this->name, $this->maxLocks, $this->releaseAfter);
    }
}
