<?php

/** Processes that still run the documents' PHP and processes with this class exclude each other. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use RedLock\Harness\LegacyPidLock;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\PidLockTestCase;

/** @group real */
final class RollingUpgradeTest extends PidLockTestCase
{
    private static function legacy(): LegacyPidLock
    {
        return new LegacyPidLock(self::$server->client());
    }

    public function testAnOldClientCannotTakeWhatANewOneHolds(): void
    {
        self::pidLock()->getPidLock('p', 10);
        self::assertSame(0, self::legacy()->getPidLock('p', 10));
        self::assertTrue(self::pidLock()->holdsPidLock('p'), 'and while the lease runs it does no harm');
    }

    public function testANewClientCannotTakeWhatAnOldOneHolds(): void
    {
        self::legacy()->getPidLock('p', 10);
        $stamp = self::stamp();
        self::assertSame(0, self::pidLock()->getPidLock('p', 10));
        self::assertSame($stamp, self::stamp());
    }

    public function testANewClientTakesWhatAnOldOneReleased(): void
    {
        $legacy = self::legacy();
        $legacy->getPidLock('p', 10);
        $legacy->releasePidLock('p');
        self::assertSame(1, self::pidLock()->getPidLock('p', 10));
    }

    public function testAnOldClientTakesWhatANewOneReleased(): void
    {
        self::pidLock()->getPidLock('p', 10);
        self::pidLock()->releasePidLock('p');
        self::assertSame(1, self::legacy()->getPidLock('p', 10));
    }

    public function testANewClientTakesOverFromADeadOldOne(): void
    {
        self::legacy()->getPidLock('p', 0.05);
        $taken = Wait::until(static fn (): int => self::pidLock()->getPidLock('p', 10), 'its stamp to pass');
        self::assertSame(1, $taken);
    }

    public function testAnOldClientTakesOverFromADeadNewOne(): void
    {
        self::pidLock()->getPidLock('p', 0.05);
        $legacy = self::legacy();
        self::assertSame(1, Wait::until(static fn (): int => $legacy->getPidLock('p', 10), 'its stamp to pass'));
    }

    public function testANewClientDoesNotReleaseWhatAnOldOneTookOver(): void
    {
        $pidLock = self::pidLock(['mixedFleet' => true]);
        $pidLock->getPidLock('p', 0.05);
        $legacy = self::legacy();
        Wait::until(static fn (): int => $legacy->getPidLock('p', 10), 'the lease to end');
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertNotNull(self::stamp(), 'our own lease has run out, so nothing without a fraction is ours');
        self::assertFalse($pidLock->holdsPidLock('p'));
    }

    /** What an old client's losing GETSET does to the stamp of the holder. */
    private static function overwriteStamp(string $fraction = ''): string
    {
        $stamp = sprintf('%d', microtime(true) * 1000 + 10_000) . $fraction;
        self::assertNotNull(self::$redis->call('GETSET', 'lock_pid:p', $stamp));
        return $stamp;
    }

    public function testByDefaultAnOverwrittenStampIsLeftToExpire(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 10);
        $stamp = self::overwriteStamp();
        self::assertFalse($pidLock->holdsPidLock('p'), 'it can no longer be proven ours');
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertSame($stamp, self::stamp());
    }

    public function testInAMixedFleetAnOverwrittenStampIsReleased(): void
    {
        $pidLock = self::pidLock(['mixedFleet' => true]);
        $pidLock->getPidLock('p', 10);
        self::overwriteStamp();
        self::assertTrue($pidLock->holdsPidLock('p'));
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertNull(self::stamp());
    }

    public function testInAMixedFleetAForeignFractionIsStillForeign(): void
    {
        $pidLock = self::pidLock(['mixedFleet' => true]);
        $pidLock->getPidLock('p', 10);
        $stamp = self::overwriteStamp('.12345678901234567890');
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertSame($stamp, self::stamp(), 'another new client holds it');
    }

    public function testInAMixedFleetWhoHoldsNothingReleasesNothing(): void
    {
        self::legacy()->getPidLock('p', 10);
        self::assertTrue(self::pidLock(['mixedFleet' => true])->releasePidLock('p'));
        self::assertNotNull(self::stamp());
    }

    public function testInAMixedFleetAnUntouchedLockIsReleasedAsEver(): void
    {
        $pidLock = self::pidLock(['mixedFleet' => true]);
        $pidLock->getPidLock('p', 10);
        $pidLock->releasePidLock('p');
        self::assertNull(self::stamp());
    }
}
