<?php

/** Laravel's cache, whose funnels are one line for permits instead of a lock for each place. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Cache\Repository;

/** @internal Since Laravel 12, which has funnels of the cache. */
final class FunnelRepository extends Repository
{
    /** @return Funnel */
    public function funnel($name)
    {
        // Laravel knows what names there are: enums are some.
        return new Funnel($this, (string) parent::funnel($name)->name);
    }
}
