<?php

/** Code under a lock that no majority of the servers has any more was outside, however many they are and whichever of them answer. */

declare(strict_types=1);

namespace RedLock\PhpLock\Tests;

use Malkusch\Lock\Exception\ExecutionOutsideLockException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\Fleet;
use RedLock\LockManager;
use RedLock\PhpLock\RedLockMutex;
use RedLock\Tests\Support\ServerTestCase;

final class MinorityTest extends ServerTestCase
{
    private const KEY = 'php-malkusch-lock:r';

    #[DataProvider('minorities')]
    public function testIsKnownToBeLost(int $servers, int $lost, int $down): void
    {
        foreach ([\INF, 30.0] as $expireTimeout) {
            $fleet = $this->fleet($servers);
            $mutex = new RedLockMutex(new LockManager($fleet->specs(null, 2.0)), 'r', 3.0, $expireTimeout);
            $this->assertLost($mutex, $fleet, $lost, $down);
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

    public function testCallsOfAHandlerDoNotChangeWhatTheLockWasTold(): void
    {
        $locks = null;
        $fleet = $this->fleet(3);
        $locks = new LockManager($fleet->specs(null, 0.2), ['onEvent' => static function () use (&$locks): void {
            // Its errors are those of the silent server.
            $locks?->inspect('other');
        }]);
        $this->assertLost(new RedLockMutex($locks, 'r', 3.0, 30.0), $fleet, 3, 1);
    }

    private function assertLost(RedLockMutex $mutex, Fleet $fleet, int $lost, int $down): void
    {
        $error = self::caught(ExecutionOutsideLockException::class, static fn () => $mutex->synchronized(static function () use ($fleet, $lost, $down): string {
            $fleet->lose(self::KEY, $lost, $down);
            return 'result';
        }));
        self::assertSame('result', $error->getCodeResult());
    }
}
