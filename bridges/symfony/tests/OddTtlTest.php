<?php

/** Lifetimes that no server can keep, and servers that answer when half of one is over. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\Symfony\RedLockStore;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockExpiredException;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\SharedLockInterface;

final class OddTtlTest extends StoreTestCase
{
    public function testATtlThatIsTooShortLeavesNothingForLong(): void
    {
        $lock = self::lock(0.005);
        self::caughtOrNot($lock->acquire(...));
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the end of the lock');
        self::assertTrue($lock->isExpired());
    }

    public function testALockThatIsShortenedToNothingIsSoonFree(): void
    {
        $lock = self::lock(30.0);
        self::assertTrue($lock->acquire());
        self::caughtOrNot(static fn () => $lock->refresh(0.005));
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the end of the lock');
    }

    #[DataProvider('ttlsBeyondAll')]
    public function testATtlThatIsTooLongIsAsLongAsTheyGet(float $ttl): void
    {
        $lock = self::lock($ttl);
        self::assertTrue($lock->acquire());
        self::assertGreaterThan(86_400.0 * 365, $lock->getRemainingLifetime());
        self::assertGreaterThan(86_400_000 * 365, max(self::ttls()));
        $lock->refresh();
        $lock->refresh(20.0);
        $lock->refresh($ttl);
        self::assertTrue($lock->acquire());
        $lock->release();
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    #[DataProvider('ttlsBeyondAll')]
    public function testSoIsAnInitialTtl(float $ttl): void
    {
        if (is_infinite($ttl)) {
            $ttl = \PHP_FLOAT_MAX;
        }
        $key = self::saved(self::store($ttl));
        self::assertGreaterThan(86_400.0 * 365, $key->getRemainingLifetime());
        self::assertGreaterThan(86_400_000 * 365, max(self::ttls()));
    }

    /** @return iterable<string, array{float}> */
    public static function ttlsBeyondAll(): iterable
    {
        yield 'thousands of years' => [1e11];
        yield 'as many as there are numbers' => [(float) \PHP_INT_MAX];
        yield 'endless' => [\INF];
    }

    public function testANameThatIsTooLongIsAnExceptionOfSymfonys(): void
    {
        $lock = (new LockFactory(self::store()))->createLock(str_repeat('k', 65_537), 10.0);
        self::caught(LockAcquiringException::class, static fn () => $lock->acquire());
    }

    /** @param \Closure(SharedLockInterface): mixed $call */
    #[DataProvider('extensions')]
    public function testAnAnswerThatComesWhenHalfTheTtlIsOverIsNoLoss(\Closure $call): void
    {
        $fleet = $this->fleet(3);
        $store = new RedLockStore(new LockManager($fleet->specs(null, 5.0)), 2.0);
        $lock = (new LockFactory($store))->createLock('r', 2.0);
        self::assertTrue($lock->acquire());
        $token = $fleet->values('r');
        $fleet->standStill(3, 1.3);
        self::assertNotFalse($call($lock));
        self::assertSame($token, $fleet->values('r'));
    }

    /** @return iterable<string, array{\Closure(SharedLockInterface): mixed}> */
    public static function extensions(): iterable
    {
        yield 'refresh' => [static fn (SharedLockInterface $lock) => $lock->refresh()];
        yield 'acquired again' => [static fn (SharedLockInterface $lock) => $lock->acquire()];
    }

    private static function lock(float $ttl): SharedLockInterface
    {
        return (new LockFactory(self::store()))->createLock('r', $ttl);
    }

    /** The lock's few milliseconds may be over before the call is. */
    private static function caughtOrNot(callable $call): void
    {
        try {
            $call();
        } catch (LockExpiredException | LockAcquiringException | LockConflictedException) {
        }
    }
}
