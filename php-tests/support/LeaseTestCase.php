<?php

/** Tests of leases share five servers per class, and mostly use three of them. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;

abstract class LeaseTestCase extends SharedFleetTestCase
{
    /** @param array<string, mixed> $options */
    protected static function locks(int $servers = 3, array $options = []): LockManager
    {
        return new LockManager(self::$fleet->specs($servers), $options + ['retryDelay' => 20]);
    }

    /** @param array<string, mixed> $options */
    protected static function leased(LockManager $locks, string|int $resource = 'r', int $ttl = 10_000, array $options = []): Lease
    {
        $lease = $locks->acquire($resource, $ttl, 0, $options);
        self::assertInstanceOf(Lease::class, $lease, "the lock on '$resource' could not be taken");
        return $lease;
    }

    /** What is released without waiting for an answer is released soon. */
    protected static function assertReleased(string $resource = 'r'): void
    {
        $free = static fn (): bool => array_filter(self::$fleet->values($resource)) === [];
        // Sooner than the ttls of most tests are over, which would free it too.
        self::assertTrue(Wait::until($free, "'$resource' to be released", 3.0));
    }

    /** Takes the key away behind its owner's back. */
    protected static function steal(string $resource = 'r'): void
    {
        self::$fleet->each(static fn ($client) => $client->call('DEL', $resource));
    }

    /** How many of the servers hold what the lease stands for. */
    protected static function votes(Lease $lease): int
    {
        return count(array_keys(self::$fleet->values((string) $lease->resource), $lease->token, true));
    }
}
