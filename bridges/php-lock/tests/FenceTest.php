<?php

/** The code that runs under a mutex with fences knows its number. */

declare(strict_types=1);

namespace RedLock\PhpLock\Tests;

use PHPUnit\Framework\Attributes\TestWith;
use RedLock\LockManager;
use RedLock\PhpLock\RedLockMutex;

final class FenceTest extends MutexTestCase
{
    private static function fenced(float $expireTimeout = \INF): RedLockMutex
    {
        return new RedLockMutex(new LockManager(self::$fleet->specs(3)), 'r', 20.0, $expireTimeout, fenced: true);
    }

    #[TestWith([\INF])]
    #[TestWith([10.0])]
    public function testEachRunHasALargerOneAndOutsideThereIsNone(float $expireTimeout): void
    {
        $mutex = self::fenced($expireTimeout);
        $before = 0;
        for ($i = 0; $i < 3; ++$i) {
            self::assertNull($mutex->fence());
            $fence = $mutex->synchronized(static fn (): ?int => $mutex->fence());
            self::assertGreaterThan($before, $fence);
            $before = $fence;
        }
        self::assertNull($mutex->fence());
    }

    public function testAMutexWithoutFencesHasNone(): void
    {
        $mutex = self::mutex();
        self::assertNull($mutex->synchronized(static fn (): ?int => $mutex->fence()));
    }

    public function testAFiberInsideHasNoneUntilItTakesALockItself(): void
    {
        $mutex = self::fenced();
        $mutex->synchronized(static function () use ($mutex): void {
            $fiber = new \Fiber(static fn (): ?int => $mutex->fence());
            $fiber->start();
            self::assertNull($fiber->getReturn());
            self::assertGreaterThan(0, $mutex->fence());
        });
    }
}
