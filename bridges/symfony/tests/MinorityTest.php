<?php

/** A lock that no majority of the servers has any more is not ours, however many they are and whichever of them answer. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\Fleet;
use RedLock\LockManager;
use RedLock\Symfony\RedLockStore;
use RedLock\Tests\Support\ServerTestCase;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;

final class MinorityTest extends ServerTestCase
{
    #[DataProvider('minorities')]
    public function testIsAnsweredByFalse(int $servers, int $lost, int $down): void
    {
        [$fleet, $store, $key] = $this->saved($servers);
        $fleet->lose('r', $lost, $down);
        self::assertFalse($store->exists($key));
        self::caught(LockConflictedException::class, static fn () => $store->putOffExpiration($key, 400.0));
        self::assertFalse($store->exists($key));
        $store->delete($key);
        self::assertFalse($store->exists($key));
    }

    #[DataProvider('minorities')]
    public function testIsAcquiredAgain(int $servers, int $lost, int $down): void
    {
        $fleet = $this->fleet($servers);
        $lock = (new LockFactory(new RedLockStore(new LockManager($fleet->specs(null, 2.0)))))->createLock('r', 60.0);
        self::assertTrue($lock->acquire());
        $fleet->lose('r', $lost, $down);
        self::assertFalse($lock->isAcquired());
        self::assertTrue($lock->acquire());
        self::assertTrue($lock->isAcquired());
    }

    #[DataProvider('minorities')]
    public function testIsNotAcquiredAgainWhereSomebodyElseHasIt(int $servers, int $lost, int $down): void
    {
        [$fleet, $store, $key] = $this->saved($servers);
        $fleet->lose('r', $lost, $down);
        $store->delete($key);
        $store->save(new Key('r'));
        self::caught(LockConflictedException::class, static fn () => $store->save($key));
    }

    /** @return iterable<string, array{int, int, int}> */
    public static function minorities(): iterable
    {
        yield 'one of two' => [2, 1, 0];
        yield 'two of four' => [4, 2, 0];
        yield 'one of four' => [4, 3, 0];
        yield 'one of five beside one that is down' => [5, 3, 1];
    }

    public function testWhereNobodyKnowsWhoseTheLockIsWhatIsLeftOfItRunsOut(): void
    {
        [$fleet, $store, $key] = $this->saved(3);
        $fleet->lose('r', 1, 1);
        $left = static fn (string ...$command): int => $fleet->servers[1]->client()->call(...$command);
        self::assertSame(1, $left('PEXPIRE', 'r', '10000'));
        self::caught(LockAcquiringException::class, static fn () => $store->save($key));
        self::assertLessThanOrEqual(10_000, $left('PTTL', 'r'));
        self::assertSame(1, $left('DEL', 'r'));
        $store->save($key);
        self::assertTrue($store->exists($key));
    }

    public function testCallsOfAHandlerDoNotChangeWhatALockWasTold(): void
    {
        $locks = null;
        $fleet = $this->fleet(3);
        $locks = new LockManager($fleet->specs(null, 2.0), ['onEvent' => static function () use (&$locks): void {
            $locks?->inspect('other');
        }]);
        $store = new RedLockStore($locks);
        $key = new Key('r');
        $store->save($key);
        $fleet->lose('r', 3);
        self::assertFalse($store->exists($key));
        self::caught(LockConflictedException::class, static fn () => $store->putOffExpiration($key, 400.0));
        self::assertFalse($store->exists($key));
    }

    /** @return array{Fleet, RedLockStore, Key} */
    private function saved(int $servers): array
    {
        $fleet = $this->fleet($servers);
        $store = new RedLockStore(new LockManager($fleet->specs(null, 2.0)));
        $key = new Key('r');
        $store->save($key);
        return [$fleet, $store, $key];
    }
}
