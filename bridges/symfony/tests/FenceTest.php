<?php

/** A key of a store with fences has the number of its lock. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\TestWith;
use RedLock\LockManager;
use RedLock\Symfony\RedLockStore;
use RedLock\Symfony\RedLockStoreFactory;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;

final class FenceTest extends StoreTestCase
{
    private static function fenced(): RedLockStore
    {
        return new RedLockStore(new LockManager(self::$fleet->specs(3)), fenced: true);
    }

    public function testEachHolderHasALargerOne(): void
    {
        $before = 0;
        for ($i = 0; $i < 3; ++$i) {
            $key = self::saved(self::fenced());
            self::assertGreaterThan($before, RedLockStore::fence($key));
            $before = RedLockStore::fence($key);
            self::store()->delete($key);
            self::assertNull(RedLockStore::fence($key));
        }
    }

    public function testALockOfSymfonyKeepsItThroughRefreshes(): void
    {
        $key = new Key('r');
        $lock = (new LockFactory(self::fenced()))->createLockFromKey($key, 30.0);
        self::assertTrue($lock->acquire(true));
        $fence = RedLockStore::fence($key);
        self::assertGreaterThan(0, $fence);
        $lock->refresh(60.0);
        $lock->refresh(20.0);
        self::assertSame($fence, RedLockStore::fence($key));
        self::assertTrue($lock->acquire());
        self::assertSame($fence, RedLockStore::fence($key));
    }

    public function testItTravelsWithTheKey(): void
    {
        $key = self::saved(self::fenced());
        self::assertSame(RedLockStore::fence($key), RedLockStore::fence(unserialize(serialize($key))));
    }

    public function testALockThatWasLostAndTakenAgainHasALargerOne(): void
    {
        $store = self::fenced();
        $key = self::saved($store);
        $before = RedLockStore::fence($key);
        self::$fleet->each(static fn ($client) => $client->call('DEL', 'r'), 3);
        $store->save($key);
        self::assertGreaterThan($before, RedLockStore::fence($key));
    }

    public function testAStoreWithoutFencesGivesNone(): void
    {
        self::assertNull(RedLockStore::fence(self::saved(self::store())));
        self::assertNull(RedLockStore::fence(new Key('r')));
    }

    #[TestWith(['fence=1', true])]
    #[TestWith(['initial_ttl=20&fence=1', true])]
    #[TestWith(['fence=0', false])]
    public function testADsnMayAskForThem(string $query, bool $fenced): void
    {
        $key = self::saved(RedLockStoreFactory::createStore('redlock://' . self::$fleet->names(3) . "?$query"));
        self::assertSame($fenced, RedLockStore::fence($key) !== null);
    }

    public function testADsnAsksForThemOrNot(): void
    {
        $error = self::caught(InvalidArgumentException::class, static fn () => RedLockStoreFactory::createStore('redlock://10.0.0.1?fence=2'));
        self::assertStringContainsString('"fence" is neither 0 nor 1', $error->getMessage());
    }
}
