<?php

/** A stamp that was written in another unit ends the call, not the exclusion. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use RedLock\NotALockException;
use RedLock\Tests\Support\PidLockTestCase;

/** @group real */
final class UnitsTest extends PidLockTestCase
{
    private const YEAR_S = 365 * 86400;

    /** @dataProvider otherUnits */
    public function testALiveOrRecentStampInAnotherUnitIsToldAndStays(string $unit, float $scale, string $seems): void
    {
        foreach ([-40 * self::YEAR_S, -86400, -1, 0, 30, self::YEAR_S, 99 * self::YEAR_S] as $from_now_s) {
            $stamp = number_format((self::serverMs() / 1000 + $from_now_s) * $scale, 0, '', '');
            self::$redis->call('SET', 'lock_pid:p', $stamp);
            $lock = self::pidLock(['unit' => $unit]);
            $thrown = self::caught(NotALockException::class, static fn () => $lock->getPidLock('p', 10));
            self::assertStringContainsString("seems to be in $seems", $thrown->getMessage(), "$from_now_s s from now");
            self::assertSame($stamp, self::stamp());
        }
    }

    /** @return iterable<string, array{string, float, string}> */
    public static function otherUnits(): iterable
    {
        yield 'seconds where milliseconds are expected' => ['ms', 1.0, 'seconds'];
        yield 'milliseconds where seconds are expected' => ['s', 1e3, 'milliseconds'];
        yield 'microseconds where milliseconds are expected' => ['ms', 1e6, 'microseconds'];
    }

    /** @dataProvider units */
    public function testTwoObjectsThatDisagreeDoNotBothGetTheLock(string $first, string $second): void
    {
        self::assertSame(1, self::pidLock(['unit' => $first])->getPidLock('p', 60));
        $other = self::pidLock(['unit' => $second]);
        self::caught(NotALockException::class, static fn () => $other->getPidLock('p', 60));
        self::assertTrue(self::pidLock(['unit' => $first])->holdsPidLock('p'));
    }

    /** @return iterable<string, array{string, string}> */
    public static function units(): iterable
    {
        yield 'ms, then s' => ['ms', 's'];
        yield 's, then ms' => ['s', 'ms'];
    }

    /** @dataProvider ownUnits */
    public function testHoweverOldAStampInTheRightUnitIsItIsTakenOver(string $unit, float $scale): void
    {
        foreach ([2, 86400, self::YEAR_S, 50 * self::YEAR_S] as $age_s) {
            $stamp = number_format((self::serverMs() / 1000 - $age_s) * $scale, 0, '', '');
            self::$redis->call('SET', 'lock_pid:p', $stamp);
            self::assertSame(1, self::pidLock(['unit' => $unit])->getPidLock('p', 10), "$age_s s old");
        }
        foreach (['0', '1', '12345'] as $stamp) {
            self::$redis->call('SET', 'lock_pid:p', $stamp);
            self::assertSame(1, self::pidLock(['unit' => $unit])->getPidLock('p', 10), $stamp);
        }
    }

    /** @dataProvider ownUnits */
    public function testHoweverLongALeaseInTheRightUnitIsItIsRespected(string $unit, float $scale): void
    {
        foreach ([3, 86400, self::YEAR_S, 99 * self::YEAR_S] as $left_s) {
            $stamp = number_format((self::serverMs() / 1000 + $left_s) * $scale, 0, '', '');
            self::$redis->call('SET', 'lock_pid:p', $stamp);
            self::assertSame(0, self::pidLock(['unit' => $unit])->getPidLock('p', 10), "$left_s s left");
        }
    }

    /** @return iterable<string, array{string, float}> */
    public static function ownUnits(): iterable
    {
        yield 'milliseconds' => ['ms', 1e3];
        yield 'seconds' => ['s', 1.0];
    }
}
