<?php

/** A lock that no majority of the servers has any more is not ours, however many they are and whichever of them answer. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use Illuminate\Contracts\Cache\Lock;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Laravel\RedLockStore;
use RedLock\LockManager;
use RedLock\Tests\Support\ServerTestCase;

final class MinorityTest extends ServerTestCase
{
    #[DataProvider('minorities')]
    public function testIsAnsweredByFalse(int $servers, int $lost, int $down): void
    {
        foreach (self::calls() as $name => $call) {
            $fleet = $this->fleet($servers);
            $store = new RedLockStore(new LockManager($fleet->specs(null, 2.0)));
            $lock = $store->lock('r', 60);
            self::assertTrue($lock->get());
            $fleet->lose('r', $lost, $down);
            self::assertFalse($call($store, $lock), $name);
        }
    }

    /** @return iterable<string, array{int, int, int}> */
    public static function minorities(): iterable
    {
        yield 'one of two' => [2, 1, 0];
        yield 'two of four' => [4, 2, 0];
        yield 'one of four' => [4, 3, 0];
        yield 'one of five beside one that is down' => [5, 3, 1];
    }

    public function testCallsOfAHandlerDoNotChangeWhatALockWasTold(): void
    {
        $locks = null;
        $asks = static function () use (&$locks): void {
            $locks?->inspect('other');
        };
        foreach (self::calls() as $name => $call) {
            $fleet = $this->fleet(3);
            $locks = new LockManager($fleet->specs(null, 2.0), ['onEvent' => $asks]);
            $store = new RedLockStore($locks);
            $lock = $store->lock('r', 60);
            self::assertTrue($lock->get());
            $fleet->lose('r', 3);
            self::assertFalse($call($store, $lock), $name);
        }
    }

    /** @return array<string, \Closure(RedLockStore, Lock): mixed> */
    private static function calls(): array
    {
        return [
            'release' => static fn (RedLockStore $store, Lock $lock) => $lock->release(),
            'release of a restored lock' => static fn (RedLockStore $store, Lock $lock) => $store->restoreLock('r', $lock->owner())->release(),
            'refresh' => static fn (RedLockStore $store, Lock $lock) => $lock->refresh(),
            'isLocked' => static fn (RedLockStore $store, Lock $lock) => $lock->isLocked(),
            'isOwnedByCurrentProcess' => static fn (RedLockStore $store, Lock $lock) => $lock->isOwnedByCurrentProcess(),
        ];
    }
}
