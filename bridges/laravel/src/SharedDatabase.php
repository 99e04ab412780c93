<?php

/** Refuses to flush a database that locks are in. Laravel clears a cache on Redis by FLUSHDB, which asks nobody whose the keys are. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Cache\FailoverStore;
use Illuminate\Cache\RedisStore;
use Illuminate\Contracts\Cache\Store;
use Illuminate\Redis\Connections\PhpRedisClusterConnection;
use Illuminate\Redis\Connections\PredisClusterConnection;
use RedLock\LockManagerInterface;
use RedLock\QuorumException;

/**
 * It tries: what is locked for the purpose must not be seen where the values are. So it does not matter how the two name a server.
 *
 * @internal
 */
final class SharedDatabase
{
    /** For a process that is killed in between. */
    private const TTL_MS = 10_000;

    /**
     * @throws \RuntimeException where a flush of $flushed would delete locks
     * @throws QuorumException where no majority of the servers can be asked
     */
    public static function refuse(Store $flushed, LockManagerInterface $locks, string $prefix): void
    {
        $stores = self::onRedis($flushed);
        if ($stores === []) {
            return;
        }
        $probe = $prefix . 'redlock:flush:' . bin2hex(random_bytes(16));
        $lease = $locks->acquire($probe, self::TTL_MS) ?? throw new QuorumException(
            'It is not known whether the flush would delete locks: ' . ($locks->lastErrors()['lock'] ?? 'no lock is to be had'),
        );
        // Every server that answers has carried out what it was asked before.
        $locks->inspect($probe);
        foreach ($stores as $store) {
            if ((int) $store->connection()->executeRaw(['EXISTS', $probe]) !== 0) {
                throw new \RuntimeException(
                    'Not flushed: the locks of the redlock store are in the same database, and would be deleted. Give them a database of their own.',
                );
            }
        }
        $lease->release();
    }

    /** @return list<RedisStore> those whose flush deletes a database. No lock is in a cluster of several nodes. */
    private static function onRedis(?Store $store): array
    {
        if ($store instanceof FailoverStore) {
            // It tells nobody which they are.
            $stores = (fn (): array => array_map(fn (string $name): Store => $this->store($name)->getStore(), $this->stores))->call($store);
            return array_merge(...array_map(self::onRedis(...), array_values($stores)));
        }
        if ($store instanceof RedLockStore) {
            return self::onRedis($store->valueStore());
        }
        $isOne = $store instanceof RedisStore
            && !$store->connection() instanceof PhpRedisClusterConnection && !$store->connection() instanceof PredisClusterConnection;
        return $isOne ? [$store] : [];
    }
}
