<?php

/** How long a key and its lock live. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\Wait;
use RedLock\Symfony\RedLockStore;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\Key;

final class ExpiryTest extends StoreTestCase
{
    public function testALockIsTakenForTheInitialTtl(): void
    {
        $key = self::saved(self::store(20.0));
        self::assertLessThan(20.0, $key->getRemainingLifetime());
        self::assertGreaterThan(15.0, $key->getRemainingLifetime());
        self::assertGreaterThan(15_000, max(self::ttls()));
        self::assertLessThanOrEqual(20_000, max(self::ttls()));
    }

    public function testTheLifetimeOfAKeyBeginsBeforeTheServersAreAsked(): void
    {
        $held = self::saved(self::store());
        $refused = new Key('r');
        try {
            self::store(20.0)->save($refused);
            self::fail('somebody else has the lock');
        } catch (LockConflictedException) {
        }
        self::assertEqualsWithDelta(17.5, $refused->getRemainingLifetime(), 2.5);
        self::assertTrue(self::store()->exists($held));
    }

    public function testAKeyThatLostItsMajorityIsSavedAnewAndKeepsNothingOfTheOldLock(): void
    {
        $store = self::store();
        $key = self::saved($store);
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 3, 'all servers to have the lock');
        self::$fleet->each(static fn ($client) => $client->call('DEL', 'r'), 2);
        $store->save($key);
        $token = $key->getState(RedLockStore::class);
        Wait::until(static fn (): bool => self::$fleet->values('r', 3) === [$token, $token, $token], 'all servers to have the new lock');
        self::assertTrue($store->exists($key));
    }

    public function testALockThatIsPutOffLivesLongerOnTheServersToo(): void
    {
        $store = self::store(2.0);
        $key = self::saved($store);
        $key->resetLifetime();
        $store->putOffExpiration($key, 60.0);
        self::assertGreaterThan(50.0, $key->getRemainingLifetime());
        // Less 1 % for clocks that run at different rates.
        self::assertLessThan(59.5, $key->getRemainingLifetime());
        self::assertGreaterThan(50_000, max(self::ttls()));
    }

    public function testAKeyWhoseLifetimeIsOverHasNoLock(): void
    {
        $store = self::store();
        $key = self::saved($store);
        $store->putOffExpiration($key, 1.0);
        self::assertTrue($store->exists($key));
        Wait::until($key->isExpired(...), 'the lifetime to end');
        self::assertFalse($store->exists($key));
    }

    public function testWhatExpiredOnTheServersIsFree(): void
    {
        $store = self::store(1.0);
        $key = self::saved($store);
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the lock to expire');
        self::assertFalse($store->exists($key));
        self::assertTrue($store->exists(self::saved($store)));
        $this->expectException(LockConflictedException::class);
        $store->putOffExpiration($key, 10.0);
    }

    public function testAShorterTtlShortensWhatTheKeyBelievesAndWhatTheServersKeep(): void
    {
        $store = self::store();
        $key = self::saved($store);
        $before = $key->getState(RedLockStore::class);
        // As Symfony's Lock does before it refreshes.
        $key->resetLifetime();
        $store->putOffExpiration($key, 5.0);
        self::assertLessThanOrEqual(5.0, $key->getRemainingLifetime());
        self::assertGreaterThan(0.0, $key->getRemainingLifetime());
        self::assertLessThanOrEqual(5_000, max(self::ttls()));
        $token = $key->getState(RedLockStore::class);
        self::assertNotSame($before, $token);
        self::assertSame([$token, $token, $token], self::$fleet->values('r', 3));
        self::assertTrue($store->exists($key));
        $store->delete($key);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testARefreshIsAnExtensionAndKeepsItsToken(): void
    {
        $store = self::store();
        $key = self::saved($store);
        $store->putOffExpiration($key, 5.0);
        $token = $key->getState(RedLockStore::class);
        $key->resetLifetime();
        $store->putOffExpiration($key, 5.0);
        self::assertSame($token, $key->getState(RedLockStore::class));
        $key->resetLifetime();
        $store->putOffExpiration($key, 60.0);
        self::assertSame($token, $key->getState(RedLockStore::class));
        self::assertGreaterThan(50_000, max(self::ttls()));
        $store->putOffExpiration($key, 5.0);
        self::assertLessThanOrEqual(5_000, max(self::ttls()));
    }

    public function testAHolderThatCrashesIsWaitedForNoLongerThanItAskedFor(): void
    {
        $this->process('
            $lock = (new Symfony\Component\Lock\LockFactory($store))->createLock("r", 2.0);
            $lock->acquire();
            posix_kill(getmypid(), SIGKILL);
        ')->wait();
        self::assertLessThanOrEqual(2_000, max(self::ttls()));
        $began = microtime(true);
        self::store()->waitAndSave(new Key('r'));
        self::assertLessThan(10.0, microtime(true) - $began);
    }

    public function testALockThatCannotBeShortenedIsOver(): void
    {
        $store = self::store();
        $key = self::saved($store);
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 3, 'all servers to have the lock');
        self::$fleet->each(static fn ($client) => $client->call('DEL', 'r'), 2);
        try {
            $store->putOffExpiration($key, 5.0);
            self::fail('no majority has the lock');
        } catch (LockConflictedException) {
        }
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the rest of it to go');
        self::assertFalse($store->exists($key));
    }

    public function testATtlThatIsOverAtOnceGivesTheLockBack(): void
    {
        $store = self::store();
        $key = self::saved($store);
        try {
            $store->putOffExpiration($key, 0.000001);
            self::fail('the lifetime of the key is over');
        } catch (LockExpiredException) {
        }
        self::assertSame(0, self::$fleet->keyCount(3));
        self::assertFalse($store->exists($key));
    }

    public function testAnExpiredKeyIsNotSavedAndLeavesNothing(): void
    {
        $store = self::store();
        $late = new Key('r');
        $late->reduceLifetime(0);
        try {
            $store->save($late);
            self::fail('an expired key was saved');
        } catch (LockExpiredException) {
        }
        self::assertFalse($store->exists($late));
        self::assertTrue($store->exists(self::saved($store)));
    }

    public function testAKeyWithoutALockCannotBePutOff(): void
    {
        $this->expectException(LockConflictedException::class);
        self::store()->putOffExpiration(new Key('r'), 10.0);
    }

    public function testALockThatSomebodyElseHasCannotBePutOff(): void
    {
        $store = self::store();
        $lost = self::saved($store);
        self::$fleet->each(static fn ($client) => $client->call('DEL', 'r'));
        $key = self::saved($store);
        try {
            $store->putOffExpiration($lost, 10.0);
            self::fail('the lock is not ours');
        } catch (LockConflictedException) {
        }
        self::assertTrue($store->exists($key));
    }

    #[DataProvider('ttlsThatAreNone')]
    public function testAnInitialTtlIsMoreThanNothing(float $ttl): void
    {
        $this->expectException(InvalidTtlException::class);
        new RedLockStore(['127.0.0.1'], $ttl);
    }

    /** @return iterable<string, array{float}> */
    public static function ttlsThatAreNone(): iterable
    {
        yield 'zero' => [0.0];
        yield 'negative' => [-1.0];
        yield 'no number' => [NAN];
        yield 'infinite' => [INF];
    }
}
