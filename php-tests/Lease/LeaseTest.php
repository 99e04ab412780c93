<?php

/** What can be done with a lease while it is held, and what is left of it afterwards. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\Wait;
use RedLock\LeaseLostException;
use RedLock\Lease;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\LeaseTestCase;

final class LeaseTest extends LeaseTestCase
{
    private static function assertDead(Lease $lease, string $why): void
    {
        self::assertFalse($lease->isLive());
        self::assertSame(0.0, $lease->remaining());
        self::assertSame(0.0, $lease->handle()['validity']);
        $error = self::caught(LeaseLostException::class, static fn () => $lease->assertLive());
        self::assertSame("the lease on 'r' $why", $error->getMessage());
        self::assertInstanceOf(\RedLock\Exception::class, $error);
    }

    private static function untilItIsOver(Lease $lease): void
    {
        Wait::until(static fn (): bool => !$lease->isLive(), 'the end of the lease');
    }

    public function testReleaseGivesTheLockBackOnce(): void
    {
        $lease = self::leased(self::locks());
        self::assertTrue($lease->release());
        self::assertReleased();
        self::assertFalse($lease->release());
        self::assertDead($lease, 'was given back');
    }

    public function testReleaseOfALeaseThatWasStolenIsFalse(): void
    {
        $lease = self::leased(self::locks());
        self::steal();
        self::assertFalse($lease->release());
    }

    public function testReleaseNeverTouchesTheNextHoldersLock(): void
    {
        $lease = self::leased(self::locks());
        self::steal();
        $next = self::leased(self::locks());
        unset($lease);
        self::assertTrue($next->confirm());
    }

    public function testAReleaseThatNobodyAnswersIsFalseAndTheLeaseOver(): void
    {
        $fleet = $this->fleet(1);
        $lease = self::leased(new LockManager($fleet->specs()));
        $fleet->servers[0]->kill9();
        self::assertFalse($lease->release());
        self::assertDead($lease, 'was given back');
    }

    public function testTheDestructorMayBeCalledByHandAndDoesNothingASecondTime(): void
    {
        $locks = self::locks();
        $lease = self::leased($locks);
        $lease->__destruct();
        self::assertReleased();
        $next = self::leased(self::locks());
        $lease->__destruct();
        self::assertFalse($lease->release());
        self::assertTrue($next->confirm());
        self::assertSame([], $locks->lastErrors());
    }

    public function testConfirmAsksTheServers(): void
    {
        $lease = self::leased(self::locks());
        self::assertTrue($lease->confirm());
        self::steal();
        self::assertTrue($lease->isLive(), 'nobody has told it yet');
        self::assertFalse($lease->confirm());
        self::assertDead($lease, 'is lost: no majority of the servers has it');
    }

    public function testWhereNoMajorityCanBeAskedTheLeaseIsAsLiveAsBefore(): void
    {
        $fleet = $this->fleet(3);
        $locks = new LockManager($fleet->specs());
        $lease = self::leased($locks);
        $fleet->servers[0]->kill9();
        $fleet->servers[1]->kill9();
        $error = self::caught(QuorumException::class, static fn () => $lease->confirm());
        self::assertStringStartsWith('RedLock\Lease::confirm(): no majority of 3 servers', $error->getMessage());
        $error = self::caught(QuorumException::class, static fn () => $lease->extend());
        self::assertStringStartsWith('RedLock\Lease::extend(): no majority of 3 servers', $error->getMessage());
        self::assertTrue($lease->isLive());
        self::assertGreaterThanOrEqual(2, count($locks->lastErrors()));
    }

    /** @group real */
    public function testExtendTakesTheTtlOfTheAcquisition(): void
    {
        $lease = self::leased(self::locks(1), 'r', 5000);
        self::$fleet->servers[0]->client()->call('PEXPIRE', 'r', 1000);
        self::assertTrue($lease->extend());
        $pttl = self::$fleet->servers[0]->client()->call('PTTL', 'r');
        self::assertGreaterThan(1000, $pttl);
        self::assertLessThanOrEqual(5000, $pttl);
    }

    public function testExtendMakesTheLeaseLastLongerAndNeverShorter(): void
    {
        $lease = self::leased(self::locks(), 'r', 5000);
        self::assertTrue($lease->extend(60_000));
        self::assertGreaterThan(50_000.0, $lease->remaining());
        self::assertTrue($lease->extend(1000));
        self::assertGreaterThan(50_000.0, $lease->remaining());
    }

    public function testExtendOfALeaseThatWasStolenLosesIt(): void
    {
        $lease = self::leased(self::locks());
        self::steal();
        self::assertFalse($lease->extend());
        self::assertDead($lease, 'is lost: no majority of the servers has it');
    }

    /** @group real */
    public function testALeaseThatIsOverStaysOver(): void
    {
        $lease = self::leased(self::locks(), 'r', 300);
        self::untilItIsOver($lease);
        self::assertDead($lease, 'is lost: its time is over');
        self::$fleet->each(static fn ($client) => $client->call('SET', 'r', $lease->token));
        self::assertFalse($lease->extend());
        self::assertFalse($lease->confirm());
        self::assertDead($lease, 'is lost: its time is over');
    }

    /** @group real */
    public function testALeaseThatIsLostIsStillGivenBack(): void
    {
        $lease = self::leased(self::locks(), 'r', 300);
        self::untilItIsOver($lease);
        self::$fleet->each(static fn ($client) => $client->call('SET', 'r', $lease->token), 3);
        unset($lease);
        self::assertReleased();
    }

    /** @group real */
    public function testNothingButTheServersIsAskedWithoutNeed(): void
    {
        $lease = self::leased(self::locks());
        self::$fleet->each(static fn ($client) => $client->call('CONFIG', 'RESETSTAT'));
        for ($i = 0; $i < 100; ++$i) {
            $lease->isLive();
            $lease->remaining();
            $lease->assertLive();
            $lease->handle();
        }
        self::assertSame(0, self::$fleet->calls('get') + self::$fleet->calls('evalsha') + self::$fleet->calls('eval'));
    }

    public function testALeaseOutlivesItsManager(): void
    {
        $locks = self::locks();
        $lease = self::leased($locks);
        unset($locks);
        gc_collect_cycles();
        self::assertTrue($lease->extend());
        self::assertTrue($lease->confirm());
        self::assertTrue($lease->release());
    }

    /** @group real */
    public function testALeaseThatASignalHandlerGivesBackIsNotConfirmed(): void
    {
        $fleet = $this->fleet(1);
        $proxy = $this->proxy($fleet->servers[0]);
        $lease = self::leased(new LockManager([$proxy->spec(5.0)]));
        $proxy->delay(600);
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, static fn () => $lease->__destruct());
        pcntl_alarm(1);
        try {
            self::assertFalse($lease->confirm());
        } finally {
            pcntl_signal(SIGALRM, SIG_DFL);
        }
        self::assertFalse($lease->isLive());
    }

    /** @group real */
    public function testAReleaseThatAnExceptionEndsLeavesTheTokenInTheHandle(): void
    {
        $locks = new LockManager(self::$fleet->specs(3, 10.0));
        $lease = self::leased($locks);
        $token = $lease->token;
        $still = self::$fleet->standStill(3, 3.0);
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, static fn () => throw new \DomainException('enough'));
        pcntl_alarm(1);
        self::caught(\DomainException::class, static fn () => $lease->release());
        pcntl_signal(SIGALRM, SIG_DFL);
        self::assertSame($token, $lease->handle()['token']);
        $still->wait();
        unset($lease, $locks);
        self::assertReleased();
    }

    public function testWhatIsMadeOfAHandleThatIsOverTakesNothingAwayWhenItGoes(): void
    {
        $locks = self::locks();
        $lease = self::leased($locks);
        $first = $lease->detach();
        $second = $lease->detach();
        self::assertSame(0.0, $second['validity']);
        $over = $locks->attach($second);
        unset($over);
        $owner = $locks->attach($first);
        self::assertTrue($owner->confirm());
    }
}
