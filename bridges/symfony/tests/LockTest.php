<?php

/** The store behind Symfony's own LockFactory and Lock. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use RedLock\Harness\Wait;
use RedLock\LockManager;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\CombinedStore;
use Symfony\Component\Lock\Store\InMemoryStore;
use Symfony\Component\Lock\Strategy\UnanimousStrategy;

final class LockTest extends StoreTestCase
{
    public function testALockExcludesAnother(): void
    {
        $lock = self::factory()->createLock('r');
        $other = self::factory()->createLock('r');
        self::assertTrue($lock->acquire());
        self::assertTrue($lock->isAcquired());
        self::assertFalse($other->acquire());
        self::assertFalse($other->isAcquired());
        $lock->release();
        self::assertTrue($other->acquire());
    }

    public function testALockAndALeaseExcludeEachOther(): void
    {
        $locks = new LockManager(self::$fleet->specs(3));
        $lock = self::factory()->createLock('r');
        self::assertTrue($lock->acquire());
        self::assertNull($locks->acquire('r'));
        $lock->release();
        self::assertTrue($locks->acquire('r')?->isLive());
    }

    public function testABlockingLockWaits(): void
    {
        self::saved(self::store(0.5));
        $lock = self::factory()->createLock('r', 10.0);
        self::assertTrue($lock->acquire(true));
        self::assertGreaterThan(8.0, $lock->getRemainingLifetime());
    }

    public function testALockThatGoesIsReleased(): void
    {
        $lock = self::factory()->createLock('r');
        self::assertTrue($lock->acquire());
        unset($lock);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testALockWithoutAutoReleaseStays(): void
    {
        $key = new Key('r');
        $lock = self::factory()->createLockFromKey($key, 300.0, false);
        self::assertTrue($lock->acquire());
        unset($lock);
        self::assertTrue(self::store()->exists($key));
    }

    public function testARefreshedLockLivesOn(): void
    {
        $lock = self::factory(3.0)->createLock('r', 3.0);
        self::assertTrue($lock->acquire());
        $lock->refresh(20.0);
        self::assertGreaterThan(15.0, $lock->getRemainingLifetime());
        self::assertGreaterThan(15_000, max(self::ttls()));
    }

    public function testALockThatExpiredCanBeAcquiredAgain(): void
    {
        $lock = self::factory(1.0)->createLock('r', 1.0);
        self::assertTrue($lock->acquire());
        Wait::until($lock->isExpired(...), 'the lock to expire');
        self::assertFalse($lock->isAcquired());
        self::assertTrue($lock->acquire(true));
        self::assertTrue($lock->isAcquired());
    }

    public function testWhereAReadLockIsAskedForItIsExclusive(): void
    {
        $reader = self::factory()->createLock('r');
        self::assertTrue($reader->acquireRead());
        self::assertFalse(self::factory()->createLock('r')->acquireRead());
    }

    public function testAcquireAndReleaseAreThreeCommandsOnEachServer(): void
    {
        $factory = self::factory();
        $factory->createLock('warm')->acquire();
        self::$fleet->reset();
        $lock = $factory->createLock('r', 30.0);
        self::assertTrue($lock->acquire());
        $lock->release();
        // Of a script the call counts, and not what it does inside.
        $outside = ['eval', 'evalsha', 'set'];
        foreach (array_slice(self::$fleet->servers, 0, 3) as $server) {
            $calls = array_intersect_key($server->commandCalls(), array_flip($outside));
            self::assertLessThanOrEqual(3, array_sum($calls), print_r($server->commandCalls(), true));
        }
    }

    public function testItIsOneOfTheStoresOfACombinedStore(): void
    {
        $store = new CombinedStore([self::store(), new InMemoryStore()], new UnanimousStrategy());
        $key = new Key('r');
        $store->save($key);
        self::assertTrue($store->exists($key));
        self::assertFalse((new LockFactory($store))->createLock('r')->acquire());
        $store->delete($key);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    private static function factory(float $initialTtl = 300.0): LockFactory
    {
        return new LockFactory(self::store($initialTtl));
    }
}
