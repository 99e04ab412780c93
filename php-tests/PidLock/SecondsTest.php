<?php

/** The option 'unit' => 's', for fleets whose stamps are whole seconds. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use PidLock;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\LegacySecondsLock;
use RedLock\Tests\Support\PidLockTestCase;

final class SecondsTest extends PidLockTestCase
{
    private static function seconds(): PidLock
    {
        return self::pidLock(['unit' => 's']);
    }

    private static function legacy(): LegacySecondsLock
    {
        return new LegacySecondsLock(self::$server->client());
    }

    public function testTheStampIsInSeconds(): void
    {
        $before = (int) self::$redis->call('TIME')[0];
        self::seconds()->getPidLock('p', 10);
        $expiry = self::integerPart((string) self::stamp());
        self::assertGreaterThanOrEqual($before + 10, $expiry);
        self::assertLessThanOrEqual((int) self::$redis->call('TIME')[0] + 11, $expiry);
    }

    public function testTheFractionStillProvesOwnership(): void
    {
        self::seconds()->getPidLock('p', 10);
        self::assertMatchesRegularExpression('/^\d{10}\.\d{20,}$/', (string) self::stamp());
    }

    public function testTakingReleasingAndAskingWork(): void
    {
        $pidLock = self::seconds();
        self::assertSame(1, $pidLock->getPidLock('p', 10));
        self::assertSame(0, $pidLock->getPidLock('p', 10));
        self::assertTrue($pidLock->holdsPidLock('p'));
        self::assertGreaterThan(5.0, $pidLock->remainingPidLock('p'));
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertNull(self::stamp());
    }

    public function testTheKeyHasALifetime(): void
    {
        self::seconds()->getPidLock('p', 10);
        $left = self::$redis->call('PTTL', 'lock_pid:p');
        self::assertGreaterThan(5000, $left);
        self::assertLessThan(30_000, $left);
    }

    /** @group real */
    public function testAnOldClientCannotTakeWhatANewOneHolds(): void
    {
        self::seconds()->getPidLock('p', 10);
        self::assertFalse(self::legacy()->acquire('lock_pid:p', 10));
        self::assertTrue(self::seconds()->holdsPidLock('p'));
    }

    /** @group real */
    public function testANewClientCannotTakeWhatAnOldOneHolds(): void
    {
        self::assertTrue(self::legacy()->acquire('lock_pid:p', 10));
        self::assertSame(0, self::seconds()->getPidLock('p', 10));
    }

    /** @group real */
    public function testAStampOfThePastIsTakenOver(): void
    {
        self::$redis->call('SET', 'lock_pid:p', time() - 2);
        self::assertSame(1, self::seconds()->getPidLock('p', 10));
    }

    /** @group real */
    public function testAStampOfTheFutureIsRespected(): void
    {
        self::$redis->call('SET', 'lock_pid:p', time() + 60);
        self::assertSame(0, self::seconds()->getPidLock('p', 10));
    }

    /** @group real */
    public function testAnOldClientTakesOverFromADeadNewOneNotBeforeTheLeaseIsOver(): void
    {
        $start = Wait::now();
        self::seconds()->getPidLock('p', 1);
        $legacy = self::legacy();
        Wait::until(static fn (): bool => $legacy->acquire('lock_pid:p', 10), 'the lease to end');
        self::assertGreaterThanOrEqual(1.0, Wait::now() - $start);
    }

    public function testANewClientTakesOverFromADeadNewOneNotBeforeTheLeaseIsOver(): void
    {
        self::seconds()->getPidLock('p', 1);
        $start = Wait::now() - (1.0 - self::seconds()->remainingPidLock('p'));
        Wait::until(static fn (): bool => self::seconds()->getPidLock('p', 10) === 1, 'the lease to end');
        self::assertGreaterThanOrEqual(1.0, Wait::now() - $start);
    }

    public function testReleaseLooksAtTheBufferInSeconds(): void
    {
        $pidLock = self::seconds();
        $pidLock->getPidLock('p', 3);
        $pidLock->releasePidLock('p', 20);
        self::assertNotNull(self::stamp());
    }
}
