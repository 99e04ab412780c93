<?php

/** The only reader becomes the writer, and a writer a reader, without anybody in between. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock;
use RedLock\DeadlockException;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LeaseModeException;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\LeaseTestCase;

final class PromoteTest extends LeaseTestCase
{
    /** Reads, and gives that back when it is told to. */
    private const READER = '
        $lease = (new RedLock\LockManager($args["servers"]))->acquireShared("r", 60_000);
        report($lease?->isLive());
        fgets(STDIN);
        $lease->release();';

    /** @param array<string, mixed> $options */
    private static function read(LockManager $locks, int $ttl = 10_000, array $options = []): Lease
    {
        return $locks->acquireShared('r', $ttl, 0, $options) ?? self::fail("'r' could not be read");
    }

    /** @dataProvider fleetSizes */
    public function testTheOnlyReaderBecomesTheWriter(int $servers): void
    {
        $lease = self::read(self::locks($servers));
        $read = $lease->handle();
        self::assertTrue($lease->promote());
        self::assertArrayNotHasKey('shared', $lease->handle());
        self::assertTrue($lease->confirm());
        self::assertGreaterThan($servers / 2, self::votes($lease));
        self::assertNull(self::locks($servers)->acquireShared('r'));
        self::assertNull(self::locks($servers)->acquire('r'));
        self::assertFalse((new RedLock(self::$fleet->specs($servers)))->isHeld($read), 'the read lock is over');
        self::assertTrue($lease->release());
        self::assertReleased();
        self::leased(self::locks($servers));
    }

    public function testWhileAnotherReadsItIsFalseAndBothGoOnReading(): void
    {
        $lease = self::read(self::locks());
        $other = self::read(self::locks());
        self::assertFalse($lease->promote());
        self::assertArrayNotHasKey('lock', $lease->lastErrors());
        self::assertTrue($lease->handle()['shared']);
        self::assertTrue($lease->confirm());
        self::assertTrue($other->confirm());
        self::assertTrue(self::read(self::locks())->release(), 'a further reader comes in');
        self::assertTrue($other->release());
        self::assertTrue($lease->promote());
    }

    public function testOfTwoReadersThatPromoteBothGetFalse(): void
    {
        [$one, $other] = [self::read(self::locks()), self::read(self::locks())];
        for ($i = 0; $i < 5; ++$i) {
            self::assertFalse($one->promote());
            self::assertFalse($other->promote());
        }
        self::assertTrue($one->confirm());
        self::assertTrue($other->confirm());
        self::assertNull(self::locks()->acquire('r'));
    }

    public function testAPromotedLeaseIsExtendedShortenedAndHandedOn(): void
    {
        $lease = self::read(self::locks(), 2_000);
        self::assertTrue($lease->promote());
        self::assertLessThanOrEqual(2_000, $lease->remaining());
        self::assertTrue($lease->extend(30_000));
        self::assertGreaterThan(25_000, $lease->remaining());
        self::assertTrue($lease->shorten(5_000));
        $attached = self::locks()->attach($lease->detach());
        self::assertTrue($attached->confirm());
        self::assertTrue($attached->release());
        self::leased(self::locks());
    }

    /** @group real */
    public function testWhatIsLeftOfReadersGoesWithThem(): void
    {
        $lease = self::read(self::locks());
        self::assertTrue($lease->promote());
        self::assertTrue($lease->demote());
        self::assertTrue($lease->release());
        $readers = static fn (): int => array_sum(self::$fleet->each(static fn ($client): int => $client->call('EXISTS', 'r', 'r:redlock:readers')));
        self::assertTrue(Wait::until(static fn (): bool => $readers() === 0, 'the keys to go'));
    }

    public function testPromotedAndDemotedAgainAndAgainItLeavesNothing(): void
    {
        $lease = self::read(self::locks());
        for ($i = 0; $i < 5; ++$i) {
            self::assertTrue($lease->promote());
            self::assertNull(self::locks()->acquireShared('r'));
            self::assertTrue($lease->demote());
            self::assertTrue(self::read(self::locks())->release());
        }
        self::assertTrue($lease->release());
        self::assertReleased();
    }

    public function testADemotedLeaseLetsReadersInAndKeepsWritersOut(): void
    {
        $lease = self::leased(self::locks());
        $token = $lease->token;
        self::assertTrue($lease->demote());
        self::assertTrue($lease->handle()['shared']);
        self::assertSame($token, $lease->token);
        self::assertTrue(self::read(self::locks())->isLive());
        self::assertNull(self::locks()->acquire('r'));
        self::assertTrue($lease->confirm());
        self::assertTrue($lease->release());
        self::leased(self::locks());
    }

    public function testAPromotionHasAFenceLargerThanThatOfAllReaders(): void
    {
        $fence = ['fence' => true];
        $lease = self::read(self::locks(), options: $fence);
        $first = $lease->fence;
        $other = self::read(self::locks(), options: $fence);
        self::assertGreaterThan($first, $other->fence);
        $other->release();
        self::assertTrue($lease->promote());
        self::assertGreaterThan($other->fence, $lease->fence);
        self::assertSame($lease->fence, $lease->handle()['fence']);
        $lease->release();
        self::assertGreaterThan($lease->fence, self::leased(self::locks(), options: $fence)->fence);
    }

    /** @group real */
    public function testItWaitsUntilTheOtherReaderIsGoneAndIsKeptAliveMeanwhile(): void
    {
        $other = $this->php(self::READER, ['servers' => self::$fleet->specs(3)]);
        self::assertTrue(PhpProcess::report($other));
        $waits = $this->php('
            $lease = (new RedLock\LockManager($args["servers"]))->acquireShared("r", 900, 0, ["keepAlive" => true]);
            report($lease?->isLive());
            report([$lease->promote(null), $lease->confirm(), $lease->handle()["shared"] ?? false]);
            usleep(1_500_000);
            report($lease->confirm());
        ', ['servers' => self::$fleet->specs(3)]);
        self::assertTrue(PhpProcess::report($waits));
        $until = Wait::now() + 1.5;
        Wait::until(static fn (): bool => Wait::now() > $until, 'time to pass');
        self::assertNull($waits->pollLine());
        $other->writeLine('go');
        self::assertSame([true, true, false], PhpProcess::report($waits));
        self::assertTrue(PhpProcess::report($waits), 'it is kept alive behind the promotion');
    }

    public function testAWaitThatIsOverIsFalse(): void
    {
        [$lease, $other] = [self::read(self::locks()), self::read(self::locks())];
        $seconds = self::secondsOf(static fn () => self::assertFalse($lease->promote(300)));
        self::assertGreaterThan(0.29, $seconds);
        self::assertLessThan(2.0, $seconds);
        self::assertTrue($lease->confirm());
        self::assertTrue($other->confirm());
    }

    public function testAReaderThatDiesIsWaitedForNoLongerThanItsTtl(): void
    {
        $lease = self::read(self::locks(), 20_000);
        self::read(self::locks(), 800)->detach();
        self::assertTrue($lease->promote(5_000));
    }

    public function testALeaseWhoseTimeEndsDuringTheWaitIsFalseAndLost(): void
    {
        $other = self::read(self::locks(), 20_000);
        $lease = self::read(self::locks(), 500);
        $seconds = self::secondsOf(static fn () => self::assertFalse($lease->promote(10_000)));
        self::assertLessThan(5.0, $seconds);
        self::assertFalse($lease->isLive());
    }

    /** @group real */
    public function testWhatASignalHandlerThrowsEndsTheWaitAndItGoesOnReading(): void
    {
        $other = self::read(self::locks(), 20_000);
        $told = PhpProcess::run('
            pcntl_async_signals(true);
            $lease = (new RedLock\LockManager($args["servers"]))->acquireShared("r", 20_000);
            pcntl_signal(SIGALRM, static fn () => throw new DomainException("enough"));
            pcntl_alarm(1);
            try {
                $lease->promote(null);
            } catch (DomainException $thrown) {
            }
            report([$thrown->getMessage(), $lease->isLive(), $lease->confirm(), $lease->handle()["shared"] ?? false]);
        ', ['servers' => self::$fleet->specs(3)]);
        self::assertSame(['enough', true, true, true], $told);
        self::assertTrue($other->confirm());
    }

    /** @group real */
    public function testCancelWaitsAndTheTimeLimitEndTheWait(): void
    {
        $other = self::read(self::locks(), 60_000);
        $told = PhpProcess::run('
            pcntl_async_signals(true);
            $lease = (new RedLock\LockManager($args["servers"]))->acquireShared("r", 20_000);
            pcntl_signal(SIGALRM, static fn () => RedLock\LockManager::cancelWaits());
            pcntl_alarm(1);
            report([$lease->promote(null), $lease->confirm()]);
        ', ['servers' => self::$fleet->specs(3)]);
        self::assertSame([false, true], $told);
        $limited = $this->php('
            set_time_limit(1);
            $lease = (new RedLock\LockManager($args["servers"]))->acquireShared("r", 60_000);
            report("reads");
            $lease->promote(null);
            report("went on");
        ', ['servers' => self::$fleet->specs(3)]);
        self::assertSame('reads', PhpProcess::report($limited));
        self::assertSame(255, $limited->wait());
        $other->release();
        self::assertTrue(Wait::until(static fn (): bool => self::locks()->acquire('r')?->release() ?? false, 'the end of the request to release it'));
    }

    public function testWaitingWithoutAnEndForAnotherReaderOfThisProcessIsADeadlock(): void
    {
        $other = self::read(self::locks());
        $lease = self::read(self::locks());
        self::assertFalse($lease->promote(100));
        $this->expectException(DeadlockException::class);
        $this->expectExceptionMessage("RedLock\\Lease::promote(): the lease on 'r' would never be alone: this process reads by another one");
        self::assertTrue($other->isLive());
        $lease->promote(null);
    }

    public function testALeaseThatIsOverAsksNobodyAndIsFalse(): void
    {
        $lease = self::read(self::locks());
        $lease->release();
        self::assertFalse($lease->promote());
        $lost = self::read(self::locks());
        self::$fleet->each(static fn ($client) => $client->call('FLUSHALL'));
        self::assertFalse($lost->promote());
        self::assertFalse($lost->isLive());
        self::assertSame('no majority of the servers has it', $lost->lastErrors()['lock']);
        $writer = self::leased(self::locks());
        self::steal();
        self::assertFalse($writer->demote());
        self::assertFalse($writer->isLive());
    }

    /** @dataProvider wrongModes */
    public function testAChangeToWhatItIsAlreadyIsRefused(string $acquire, string $method, string $message): void
    {
        $lease = self::locks()->$acquire('r');
        self::assertTrue($lease->isLive());
        $error = self::caught(LeaseModeException::class, static fn () => $lease->$method());
        self::assertInstanceOf(RedLock\Exception::class, $error);
        self::assertInstanceOf(\LogicException::class, $error);
        self::assertSame("RedLock\\Lease::$method(): the lease on 'r' $message", $error->getMessage());
        self::assertTrue($lease->confirm());
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function wrongModes(): iterable
    {
        yield 'promote of an exclusive one' => ['acquire', 'promote', 'is exclusive already'];
        yield 'demote of a shared one' => ['acquireShared', 'demote', 'is shared already'];
    }

    public function testSeveralResourcesCannotBeDemoted(): void
    {
        $lease = self::locks()->acquireAll(['a', 'b']);
        $this->expectException(LeaseModeException::class);
        $this->expectExceptionMessage("demote(): the lease on 'a' and 'b' has several resources, and cannot be shared");
        $lease->demote();
    }

    public function testANegativeWaitIsRefused(): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage('RedLock\Lease::promote(): Argument #1 ($wait) must be greater than or equal to 0');
        self::read(self::locks())->promote(-1);
    }

    public function testWhereAnotherLeaseOfTheSameLockCountsOnItsModeItIsNotDemoted(): void
    {
        $locks = self::locks();
        $again = ['reentrant' => true];
        [$one, $two] = [self::leased($locks, options: $again), self::leased($locks, options: $again)];
        self::caught(LeaseModeException::class, static fn () => $one->demote());
        $two->release();
        self::assertTrue($one->demote());
    }

    public function testAllLeasesOfAPromotedLockShowItsToken(): void
    {
        $locks = self::locks();
        $again = ['reentrant' => true];
        [$one, $two] = [self::read($locks, options: $again), self::read($locks, options: $again)];
        self::assertTrue($one->promote());
        self::assertSame($one->token, $two->token);
        self::assertArrayNotHasKey('shared', $two->handle());
        self::assertNull($locks->acquireShared('r', 10_000, 0, $again), 'it counts as no read lock any more');
    }

    public function testEventsTellOfBoth(): void
    {
        $told = [];
        $locks = self::locks(3, ['onEvent' => static function (string $event) use (&$told): void {
            $told[] = $event;
        }]);
        $lease = self::read($locks);
        $lease->promote();
        $lease->demote();
        $lease->release();
        self::assertSame(['acquired', 'promoted', 'demoted', 'released'], $told);
    }

    /** @group real */
    public function testAMinorityThatDiesDuringTheWaitIsNotNoticed(): void
    {
        $fleet = $this->fleet(3);
        $locks = new LockManager($fleet->specs(), ['retryDelay' => 20]);
        $other = self::read(new LockManager($fleet->specs()), 60_000);
        $waits = $this->php('
            $lease = (new RedLock\LockManager($args["servers"], ["retryDelay" => 20]))->acquireShared("r", 60_000);
            report($lease?->isLive());
            report([$lease->promote(20_000), $lease->confirm()]);
            fgets(STDIN);
        ', ['servers' => $fleet->specs()]);
        self::assertTrue(PhpProcess::report($waits));
        $fleet->servers[1]->kill9();
        self::assertNull($waits->pollLine());
        $other->release();
        self::assertSame([true, true], PhpProcess::report($waits));
        self::assertNull($locks->acquireShared('r'));
    }

    /** @group real */
    public function testWithoutAMajorityItThrowsAndIsAReaderStillOnceTheyAnswer(): void
    {
        $fleet = $this->fleet(3);
        $locks = new LockManager($fleet->specs(3, 0.3), ['retryDelay' => 20]);
        $lease = self::read($locks, 60_000);
        self::assertTrue($lease->confirm());
        $fleet->servers[0]->stop();
        $fleet->servers[1]->stop();
        self::caught(QuorumException::class, static fn () => $lease->promote());
        self::assertTrue($lease->handle()['shared']);
        self::assertTrue($lease->isLive());
        $fleet->servers[0]->cont();
        $fleet->servers[1]->cont();
        $joins = static fn (): bool => (new LockManager($fleet->specs(3, 2.0)))->acquireShared('r')?->release() ?? false;
        Wait::until($joins, 'a reader to come in: the promotion is undone');
        self::assertTrue(Wait::until(static fn (): bool => $lease->confirm(), 'it to be a reader on a majority'));
        self::assertTrue($lease->promote());
    }

    /** @group real */
    public function testAServerKilledWhileItPromotesLeavesTheLeaseAReaderOrAWriter(): void
    {
        for ($i = 0; $i < 3; ++$i) {
            $fleet = $this->fleet(3);
            $locks = new LockManager($fleet->specs(3, 0.3), ['retryDelay' => 20]);
            $lease = self::read($locks, 60_000);
            self::assertTrue($lease->confirm());
            // It has the promotion in its socket and never answers.
            $fleet->servers[$i]->stop();
            $killer = $this->php('usleep(100_000); posix_kill($args["pid"], SIGKILL); report(1);', ['pid' => $fleet->servers[$i]->pid()]);
            self::assertTrue($lease->promote());
            self::assertSame(1, PhpProcess::report($killer));
            self::assertTrue($lease->confirm());
            self::assertNull((new LockManager($fleet->specs(3, 0.3)))->acquireShared('r'));
            self::assertTrue($lease->demote());
            self::assertTrue((new LockManager($fleet->specs(3, 0.3)))->acquireShared('r')?->release());
            $lease->release();
        }
    }
}
