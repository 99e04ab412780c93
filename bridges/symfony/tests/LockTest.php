<?php

/** The store behind Symfony's own LockFactory and Lock. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\TestWith;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\Symfony\RedLockStore;
use Symfony\Component\Lock\Exception\LockConflictedException;
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

    public function testALockThatIsAcquiredAgainIsTheSameForCopiesOfItsKey(): void
    {
        $key = new Key('r');
        $lock = self::factory()->createLockFromKey($key, 30.0);
        self::assertTrue($lock->acquire());
        $copy = unserialize(serialize($key));
        self::assertTrue($lock->acquire());
        self::assertTrue($lock->acquire(true));
        self::assertTrue(self::store()->exists($copy));
        self::assertGreaterThan(25.0, $lock->getRemainingLifetime());
        self::assertLessThanOrEqual(30_000, max(self::ttls()));
        $lock->release();
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testALockThatIsLostOnTheWayToItsTtlIsRefusedOrThrown(): void
    {
        $takesAway = static function (string $event): void {
            if ($event === 'acquired') {
                $held = static fn (): bool => !in_array(null, self::$fleet->values('r', 3), true);
                Wait::until($held, 'all servers to have the lock');
                self::$fleet->each(static fn ($client) => $client->call('DEL', 'r'), 3);
            }
        };
        $store = new RedLockStore(new LockManager(self::$fleet->specs(3), ['onEvent' => $takesAway]));
        $lock = (new LockFactory($store))->createLock('r', 30.0);
        self::assertFalse($lock->acquire());
        self::assertFalse($lock->isAcquired());
        $this->expectException(LockConflictedException::class);
        $lock->acquire(true);
    }

    public function testReadersShareALockAndAWriterWaitsForThem(): void
    {
        [$one, $two, $writer] = array_map(self::factory()->createLock(...), ['r', 'r', 'r']);
        self::assertTrue($one->acquireRead());
        self::assertTrue($two->acquireRead(true));
        self::assertFalse($writer->acquire());
        $one->release();
        self::assertTrue($two->isAcquired());
        self::assertFalse($writer->acquire());
        $two->release();
        self::assertTrue($writer->acquire());
        self::assertFalse($one->acquireRead());
    }

    public function testALockThatReadsIsAcquiredForWritingAndBack(): void
    {
        [$lock, $other] = [self::factory()->createLock('r', 30.0), self::factory()->createLock('r', 30.0)];
        self::assertTrue($lock->acquireRead());
        self::assertTrue($lock->acquire());
        self::assertFalse($other->acquireRead());
        self::assertTrue($lock->acquireRead());
        self::assertTrue($other->acquireRead());
        self::assertTrue($lock->isAcquired());
        self::assertGreaterThan(20.0, $lock->getRemainingLifetime());
    }

    #[TestWith([30.0])]
    #[TestWith([300.0])]
    public function testAcquireAndReleaseAreThreeCommandsOnEachServer(float $ttl): void
    {
        // A server that is later than a quarter of that would be told once more to forget the old token.
        $locks = new LockManager(self::$fleet->specs(3), ['timeout' => 20.0]);
        $lock = (new LockFactory(new RedLockStore($locks)))->createLock('r', $ttl);
        // Those to the servers of other tests are counted too.
        $requests = static fn (): array => array_map(static fn (array $server): int => $server['requests'], $locks->stats()['servers']);
        $before = $requests();
        self::assertTrue($lock->acquire());
        self::assertLessThanOrEqual($ttl * 1000, max(self::ttls()));
        $lock->release();
        $sent = [];
        foreach ($requests() as $server => $count) {
            $sent[] = $count - ($before[$server] ?? 0);
        }
        self::assertSame([3, 3, 3], array_values(array_filter($sent)));
        self::assertSame(0, self::$fleet->keyCount(3));
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
