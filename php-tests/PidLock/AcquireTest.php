<?php

/** Taking the timestamp lock. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use PidLock;
use RedLock\Harness\Monitor;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\PidLockTestCase;

final class AcquireTest extends PidLockTestCase
{
    public function testAFreeLockIsTakenAsTheInteger1(): void
    {
        self::assertSame(1, self::pidLock()->getPidLock('p', 10));
    }

    public function testATakenLockIsTheInteger0(): void
    {
        self::pidLock()->getPidLock('p', 10);
        self::assertSame(0, self::pidLock()->getPidLock('p', 10));
    }

    public function testALoserWritesNothing(): void
    {
        self::pidLock()->getPidLock('p', 10);
        $stamp = self::stamp();
        for ($i = 0; $i < 10; ++$i) {
            self::assertSame(0, self::pidLock()->getPidLock('p', 60));
        }
        self::assertSame($stamp, self::stamp());
    }

    public function testTheIntegerPartIsTheServersTimePlusLeasePlusBuffer(): void
    {
        $before = self::serverMs();
        self::pidLock()->getPidLock('p', 10, 0, 0, 0.25);
        $after = self::serverMs();
        $expiry = self::integerPart((string) self::stamp());
        self::assertGreaterThanOrEqual($before + 10_250, $expiry);
        self::assertLessThanOrEqual($after + 10_250, $expiry);
    }

    public function testWithoutABufferTimeItIsOneMillisecond(): void
    {
        $before = self::serverMs();
        self::pidLock()->getPidLock('p', 10);
        $expiry = self::integerPart((string) self::stamp());
        self::assertGreaterThanOrEqual($before + 10_001, $expiry);
        self::assertLessThanOrEqual(self::serverMs() + 10_001, $expiry);
    }

    public function testFractionsOfSecondsAreMilliseconds(): void
    {
        $before = self::serverMs();
        self::pidLock()->getPidLock('p', 1.234, 0, 0, 0);
        $expiry = self::integerPart((string) self::stamp());
        self::assertGreaterThanOrEqual($before + 1234, $expiry);
        self::assertLessThanOrEqual(self::serverMs() + 1234, $expiry);
    }

    public function testTheStampIsADecimalNumberWith64RandomBitsBehindThePoint(): void
    {
        self::pidLock()->getPidLock('p', 10);
        self::assertMatchesRegularExpression('/^\d{13}\.\d{20,}$/', (string) self::stamp());
    }

    public function testEveryAcquisitionHasItsOwnFraction(): void
    {
        $pidLock = self::pidLock();
        $fractions = [];
        for ($i = 0; $i < 100; ++$i) {
            $pidLock->getPidLock('p', 10);
            $fractions[substr((string) self::stamp(), 14)] = true;
            $pidLock->releasePidLock('p');
        }
        self::assertCount(100, $fractions);
    }

    public function testTheKeyHasALifetimeSoThatNothingStaysForever(): void
    {
        self::pidLock()->getPidLock('p', 10);
        $left = self::$redis->call('PTTL', 'lock_pid:p');
        self::assertGreaterThan(5000, $left);
        self::assertLessThan(30_000, $left);
    }

    /** @group real */
    public function testItIsOneRoundTrip(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('warm up', 10);
        $monitor = new Monitor(self::$server);
        $pidLock->getPidLock('p', 10);
        self::assertCount(1, $monitor->commands());
    }

    /**
     * @dataProvider pastStamps
     * @group real
     */
    public function testAStampOfThePastIsTakenOver(string $stamp): void
    {
        self::$redis->call('SET', 'lock_pid:p', $stamp);
        self::assertSame(1, self::pidLock()->getPidLock('p', 10));
        self::assertGreaterThan(self::serverMs(), (float) self::stamp());
        self::assertGreaterThan(0, self::$redis->call('PTTL', 'lock_pid:p'));
    }

    /** @return iterable<string, array{string}> */
    public static function pastStamps(): iterable
    {
        yield 'long ago' => ['1500000000000'];
        yield 'a moment ago' => [sprintf('%d', microtime(true) * 1000 - 2000)];
        yield 'with a fraction' => ['1500000000000.25'];
        yield 'zero' => ['0'];
    }

    /** @group real */
    public function testAStampOfTheFutureIsRespectedEvenWithoutALifetime(): void
    {
        self::$redis->call('SET', 'lock_pid:p', sprintf('%d', microtime(true) * 1000 + 60_000));
        self::assertSame(0, self::pidLock()->getPidLock('p', 10));
        self::assertSame(-1, self::$redis->call('PTTL', 'lock_pid:p'));
    }

    public function testAnExpiredLeaseCanBeTakenByAnother(): void
    {
        self::pidLock()->getPidLock('p', 0.1);
        self::assertSame(0, self::pidLock()->getPidLock('p', 10));
        self::assertSame(1, Wait::until(static fn (): int => self::pidLock()->getPidLock('p', 10), 'the lease to end'));
    }

    /** @group real */
    public function testThereAreRetryTimesPlusOneAttempts(): void
    {
        self::$redis->call('SET', 'lock_pid:p', '99999999999999');
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 10);
        $monitor = new Monitor(self::$server);
        $pidLock->getPidLock('p', 10, 0.001, 4);
        self::assertCount(5, $monitor->commands());
    }

    /** @group real */
    public function testBetweenAttemptsItSleepsAndNotAfterTheLast(): void
    {
        self::$redis->call('SET', 'lock_pid:p', '99999999999999');
        $took = self::secondsOf(static fn () => self::pidLock()->getPidLock('p', 10, 0.15, 2));
        self::assertGreaterThanOrEqual(0.3, $took);
        self::assertLessThan(3.0, $took);
        self::assertLessThan(10.0, self::secondsOf(static fn () => self::pidLock()->getPidLock('p', 10, 60, 0)));
    }

    public function testALaterAttemptSucceedsWhenTheHolderIsGone(): void
    {
        self::pidLock()->getPidLock('p', 0.2);
        self::assertSame(1, self::pidLock()->getPidLock('p', 10, 0.02, 500));
    }

    /** @dataProvider pids */
    public function testTheKeyIsThePrefixAndThePid(string|int $pid): void
    {
        self::assertSame(1, self::pidLock()->getPidLock($pid, 10));
        self::assertNotNull(self::stamp("lock_pid:$pid"));
        self::assertTrue(self::pidLock()->releasePidLock($pid));
        self::assertNull(self::stamp("lock_pid:$pid"));
    }

    /** @return iterable<string, array{string|int}> */
    public static function pids(): iterable
    {
        yield 'a word' => ['orders'];
        yield 'an int' => [17];
        yield 'a negative int' => [-17];
        yield 'an empty string' => [''];
        yield 'binary' => ["a\0\r\n\xff"];
    }

    public function testThePrefixIsAnOption(): void
    {
        self::pidLock(['prefix' => 'app:'])->getPidLock('p', 10);
        self::assertNotNull(self::stamp('app:p'));
    }

    public function testThePrefixMayBeEmpty(): void
    {
        self::pidLock(['prefix' => ''])->getPidLock('p', 10);
        self::assertNotNull(self::stamp('p'));
    }

    public function testASubclassMayNameTheKey(): void
    {
        $pidLock = new class (self::$server->name()) extends PidLock {
            protected function _getLockKey(string|int $pid): string
            {
                return 'mine:' . parent::_getLockKey($pid);
            }
        };
        self::assertSame(1, $pidLock->getPidLock('p', 10));
        self::assertNotNull(self::stamp('mine:lock_pid:p'));
        self::assertTrue($pidLock->holdsPidLock('p'));
        self::assertGreaterThan(5.0, $pidLock->remainingPidLock('p'));
        $pidLock->releasePidLock('p');
        self::assertNull(self::stamp('mine:lock_pid:p'));
    }

    public function testAnExceptionOfGetLockKeyComesThrough(): void
    {
        $pidLock = new class (self::$server->name()) extends PidLock {
            protected function _getLockKey(string|int $pid): string
            {
                throw new \DomainException('no key');
            }
        };
        foreach ([
            static fn () => $pidLock->getPidLock('p', 10),
            static fn () => $pidLock->releasePidLock('p'),
            static fn () => $pidLock->holdsPidLock('p'),
            static fn () => $pidLock->remainingPidLock('p'),
        ] as $call) {
            self::caught(\DomainException::class, $call);
        }
        self::assertSame(0, self::$redis->call('DBSIZE'));
    }

    public function testAGetLockKeyThatGivesNoStringIsATypeError(): void
    {
        $pidLock = new class (self::$server->name()) extends PidLock {
            #[\ReturnTypeWillChange]
            protected function _getLockKey($pid)
            {
                return ['not', 'a', 'string'];
            }
        };
        self::caught(\TypeError::class, static fn () => $pidLock->getPidLock('p', 10));
        self::assertSame(0, self::$redis->call('DBSIZE'));
    }

    /** @group real */
    public function testItWorksAfterScriptFlush(): void
    {
        $pidLock = self::pidLock();
        for ($i = 0; $i < 3; ++$i) {
            self::assertSame(1, $pidLock->getPidLock('p', 10));
            self::$redis->call('SCRIPT', 'FLUSH');
            self::assertTrue($pidLock->holdsPidLock('p'));
            self::$redis->call('SCRIPT', 'FLUSH');
            $pidLock->releasePidLock('p');
            self::assertNull(self::stamp());
            self::$redis->call('SCRIPT', 'FLUSH');
        }
    }
}
