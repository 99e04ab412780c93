<?php

/** Giving the timestamp lock back, asking after it, and who may do so. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\PidLockTestCase;

final class ReleaseTest extends PidLockTestCase
{
    public function testReleaseDeletesOurKey(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 10);
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertNull(self::stamp());
        self::assertSame(1, self::pidLock()->getPidLock('p', 10));
    }

    public function testReleaseOfAFreeLockIsTrue(): void
    {
        self::assertTrue(self::pidLock()->releasePidLock('p'));
    }

    /** @group real */
    public function testASecondReleaseIsTrueAndLeavesTheNextHolderAlone(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 10);
        $pidLock->releasePidLock('p');
        self::takenByAnotherProcess();
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertNotNull(self::stamp());
    }

    /** The lease of another process, which has ended in between. */
    private static function takenByAnotherProcess(float $lease = 30.0): void
    {
        $code = 'report((new PidLock($args["server"]))->getPidLock("p", $args["lease"]));';
        self::assertSame(1, PhpProcess::run($code, ['server' => self::$server->name(), 'lease' => $lease]));
    }

    public function testReleaseBySomebodyElseIsTrueAndDeletesNothing(): void
    {
        self::takenByAnotherProcess();
        $stamp = self::stamp();
        self::assertTrue(self::pidLock()->releasePidLock('p'));
        self::assertSame($stamp, self::stamp());
    }

    public function testReleaseBySomebodyElseSendsNothingToTheServer(): void
    {
        $server = $this->server();
        $server->stop();
        $pidLock = new \PidLock(['host' => '127.0.0.1', 'port' => $server->port, 'timeout' => 20]);
        $took = self::secondsOf(static fn () => $pidLock->releasePidLock('p'));
        $server->cont();
        self::assertLessThan(5.0, $took);
    }

    public function testAnotherObjectOfTheSameRequestMayRelease(): void
    {
        self::pidLock()->getPidLock('p', 10);
        self::assertTrue(self::pidLock()->holdsPidLock('p'));
        self::assertGreaterThan(5.0, self::pidLock()->remainingPidLock('p'));
        self::pidLock()->releasePidLock('p');
        self::assertNull(self::stamp());
    }

    /** @group real */
    public function testAnotherObjectMayNameTheSameServerInAnotherForm(): void
    {
        self::pidLock()->getPidLock('p', 10);
        (new \PidLock(['127.0.0.1', self::$server->port]))->releasePidLock('p');
        self::assertNull(self::stamp());
    }

    public function testAnObjectWithAnotherPrefixDoesNotRelease(): void
    {
        self::pidLock()->getPidLock('p', 10);
        self::pidLock(['prefix' => 'other:'])->releasePidLock('p');
        self::assertNotNull(self::stamp());
    }

    public function testAnObjectForAnotherServerDoesNotRelease(): void
    {
        self::pidLock()->getPidLock('p', 10);
        (new \PidLock($this->server()->name()))->releasePidLock('p');
        self::assertNotNull(self::stamp());
    }

    /** @group real */
    public function testTheEndOfTheRequestReleasesNothing(): void
    {
        self::takenByAnotherProcess();
        self::assertNotNull(self::stamp());
        self::assertSame(0, self::pidLock()->getPidLock('p', 10));
    }

    public function testALeaseWithinTheBufferIsLeftToExpire(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 3);
        self::assertTrue($pidLock->releasePidLock('p', 4));
        self::assertNotNull(self::stamp(), 'stamp - now is not above the buffer');
    }

    public function testTheBufferIsInSeconds(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 60);
        self::assertTrue($pidLock->releasePidLock('p', 30));
        self::assertNull(self::stamp(), '60 s are left, and the buffer is 30 s');
    }

    public function testReleaseAfterTheLeaseLeavesTheNextHolderAlone(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 0.05);
        Wait::until(static fn (): bool => self::stamp() === null, 'our lease to end');
        self::takenByAnotherProcess();
        $stamp = self::stamp();
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertSame($stamp, self::stamp());
    }

    /** @group real */
    public function testReleaseLeavesAChangedStampAlone(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 10);
        self::$redis->call('SET', 'lock_pid:p', '99999999999999.5');
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertSame('99999999999999.5', self::stamp());
    }

    public function testReleaseIsTrueWhenTheServerIsDown(): void
    {
        $server = $this->server();
        $pidLock = new \PidLock(['127.0.0.1', $server->port, 0.1]);
        $pidLock->getPidLock('p', 10);
        $server->kill9();
        self::assertTrue($pidLock->releasePidLock('p'));
    }

    public function testReleaseIsTrueInTimeWhenTheServerIsStopped(): void
    {
        $server = $this->server();
        $pidLock = new \PidLock(['127.0.0.1', $server->port, 0.1]);
        $pidLock->getPidLock('p', 10);
        $server->stop();
        $took = self::secondsOf(static fn () => self::assertTrue($pidLock->releasePidLock('p')));
        $server->cont();
        self::assertLessThan(1.0, $took);
        Wait::until(static fn () => $server->client()->call('DBSIZE') === 0, 'the release to arrive after all');
    }

    /** @group real */
    public function testReleaseIsTrueWhenTheKeyHasBecomeAnotherType(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 10);
        self::$redis->call('DEL', 'lock_pid:p');
        self::$redis->call('RPUSH', 'lock_pid:p', 'x');
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertSame('list', self::$redis->call('TYPE', 'lock_pid:p'));
    }

    public function testHoldsIsTrueForTheHolderAndFalseForOthers(): void
    {
        self::assertFalse(self::pidLock()->holdsPidLock('p'));
        self::takenByAnotherProcess();
        self::assertFalse(self::pidLock()->holdsPidLock('p'));
        self::$redis->call('DEL', 'lock_pid:p');
        self::pidLock()->getPidLock('p', 10);
        self::assertTrue(self::pidLock()->holdsPidLock('p'));
        self::assertFalse(self::pidLock()->holdsPidLock('q'));
    }

    public function testHoldsAsksTheServer(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 10);
        self::$redis->call('DEL', 'lock_pid:p');
        self::assertFalse($pidLock->holdsPidLock('p'));
    }

    public function testHoldsIsFalseAfterTheLeaseAndAfterTheRelease(): void
    {
        $pidLock = self::pidLock();
        $pidLock->getPidLock('p', 0.05);
        Wait::until(static fn (): bool => !$pidLock->holdsPidLock('p'), 'the lease to end');
        $pidLock->getPidLock('q', 10);
        $pidLock->releasePidLock('q');
        self::assertFalse($pidLock->holdsPidLock('q'));
    }

    /** @dataProvider driftFactors */
    public function testRemainingIsTheLeaseLessDriftByTheLocalClock(array $options, float $trusted): void
    {
        $pidLock = self::pidLock($options);
        $start = Wait::now();
        $pidLock->getPidLock('p', 10, 0, 0, 5);
        $remaining = $pidLock->remainingPidLock('p');
        self::assertLessThanOrEqual($trusted, $remaining, 'neither buffer nor drift are ours to use');
        self::assertGreaterThanOrEqual($trusted - (Wait::now() - $start), $remaining);
    }

    /** @return iterable<string, array{array<string, float>, float}> */
    public static function driftFactors(): iterable
    {
        yield 'the default, 1 %' => [[], 9.9];
        yield 'a quarter' => [['driftFactor' => 0.25], 7.5];
        yield 'none' => [['driftFactor' => 0.0], 10.0];
    }

    public function testTheStampItselfIsNotShortenedByTheDrift(): void
    {
        $before = self::serverMs();
        self::pidLock(['driftFactor' => 0.5])->getPidLock('p', 10, 0, 0, 0);
        self::assertGreaterThanOrEqual($before + 10_000, self::integerPart((string) self::stamp()));
    }

    public function testALeaseOfOneMillisecondCanBeTakenAndOneThatDriftEatsUpIsRefused(): void
    {
        self::assertContains(self::pidLock()->getPidLock('p', 0.001), [0, 1]);
        $lock = self::pidLock(['driftFactor' => 0.9999999]);
        $thrown = self::caught(\ValueError::class, static fn () => $lock->getPidLock('p', 0.001));
        self::assertStringContainsString('($lock_timeout) is too small', $thrown->getMessage());
    }

    public function testRemainingFallsAndAsksNobody(): void
    {
        $server = $this->server();
        $pidLock = new \PidLock(['127.0.0.1', $server->port, 1]);
        $pidLock->getPidLock('p', 10);
        $first = $pidLock->remainingPidLock('p');
        $server->kill9();
        usleep(2000);
        self::assertLessThan($first, $pidLock->remainingPidLock('p'));
    }

    public function testRemainingIsNotPositiveWithoutALock(): void
    {
        $pidLock = self::pidLock();
        self::assertLessThanOrEqual(0.0, $pidLock->remainingPidLock('never taken'));
        $pidLock->getPidLock('p', 10);
        $pidLock->releasePidLock('p');
        self::assertLessThanOrEqual(0.0, $pidLock->remainingPidLock('p'));
        $pidLock->getPidLock('p', 0.03);
        Wait::until(static fn (): bool => $pidLock->remainingPidLock('p') <= 0.0, 'the lease to run out');
    }
}
