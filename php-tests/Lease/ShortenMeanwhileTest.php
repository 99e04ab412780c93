<?php

/** shorten() while signal handlers do something with the same lease, and handlers that shorten it while something else is asked. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\Fleet;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\LeaseTestCase;

/** @group real */
final class ShortenMeanwhileTest extends LeaseTestCase
{
    private Fleet $servers;

    protected function setUp(): void
    {
        parent::setUp();
        $this->servers = $this->fleet(3);
    }

    private function locksOf(float $timeout = 5.0): LockManager
    {
        return new LockManager($this->servers->specs(3), ['timeout' => $timeout]);
    }

    private function goOn(): void
    {
        array_map(static fn ($server) => $server->cont(), $this->servers->servers);
    }

    /**
     * What is asked while the servers stand still, and a handler does this in the midst of it.
     *
     * @return mixed what it returned or threw
     */
    private function asked(callable $question, callable $handler): mixed
    {
        array_map(static fn ($server) => $server->stop(), $this->servers->servers);
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, static fn () => $handler());
        pcntl_alarm(1);
        try {
            return $question();
        } catch (\Exception $thrown) {
            return $thrown;
        } finally {
            pcntl_signal(SIGALRM, SIG_DFL);
            $this->goOn();
        }
    }

    private function allGone(): void
    {
        self::assertTrue(Wait::until(fn (): bool => $this->servers->keyCount(3) === 0, 'both tokens to go'));
    }

    /** Behind what was under way nobody else can have what this lease stands for. */
    private function assertIsTheOnlyOne(Lease $lease): void
    {
        usleep(300_000);
        self::assertTrue($lease->isLive());
        self::assertNull($this->locksOf()->acquire('r', 20_000, 1_000), 'somebody else has it too');
    }

    public function testAnExceptionOfAHandlerEndsTheLeaseAndLeavesNothing(): void
    {
        $lease = $this->locksOf()->acquire('r', 60_000);
        self::assertInstanceOf(\LogicException::class, $this->asked(static fn () => $lease->shorten(5_000), static fn () => throw new \LogicException('in between')));
        self::assertFalse($lease->isLive());
        $this->allGone();
    }

    public function testALeaseThatIsShortenedWhenAHandlerThrowsIsKeptAliveAsBefore(): void
    {
        $locks = $this->locksOf();
        $lease = $locks->acquire('r', 60_000, 0, ['keepAlive' => true, 'interrupt' => true]);
        $thrown = $this->asked(static fn () => $lease->shorten(1_500), function () use ($lease): void {
            $this->goOn();
            // Until then it is decided.
            self::assertTrue(Wait::until(static fn (): bool => $lease->confirm(), 'the fresh token to be there'));
            throw new \LogicException('by the handler');
        });
        self::assertInstanceOf(\LogicException::class, $thrown);
        self::assertTrue($lease->isLive());
        usleep(2_500_000);
        self::assertTrue($lease->isLive());
        self::assertTrue($lease->confirm());
    }

    public function testWhatAHandlerExtendsBeyondTheShortTtlLives(): void
    {
        $lease = $this->locksOf()->acquire('r', 60_000);
        $shortened = $this->asked(static fn () => $lease->shorten(1_500), function () use ($lease): void {
            $this->goOn();
            self::assertTrue($lease->extend(60_000));
            usleep(1_700_000);
        });
        self::assertTrue($shortened);
        self::assertGreaterThan(30_000.0, $lease->remaining());
        $this->assertIsTheOnlyOne($lease);
        self::assertTrue($lease->confirm());
    }

    public function testAHandlerMayReleaseIt(): void
    {
        $lease = $this->locksOf()->acquire('r', 60_000);
        $released = null;
        $shortened = $this->asked(static fn () => $lease->shorten(5_000), function () use ($lease, &$released): void {
            $this->goOn();
            $released = $lease->release();
        });
        self::assertFalse($shortened);
        self::assertTrue($released);
        self::assertFalse($lease->isLive());
        $this->allGone();
    }

    public function testWhoeverAHandlerPassedItOnToKeepsItThoughTheCallIsLeft(): void
    {
        $lease = $this->locksOf()->acquire('r', 60_000);
        $other = null;
        $left = $this->asked(static fn () => $lease->shorten(20_000), function () use ($lease, &$other): void {
            $other = $this->locksOf()->attach($lease->detach());
            throw new \LogicException('in between');
        });
        self::assertInstanceOf(\LogicException::class, $left);
        self::assertFalse($lease->isLive());
        $this->assertIsTheOnlyOne($other);
    }

    public function testWhoeverAHandlerPassedItOnToKeepsItThoughNoAnswerComesInTime(): void
    {
        $lease = $this->locksOf(2.0)->acquire('r', 60_000);
        $other = null;
        $failed = $this->asked(static fn () => $lease->shorten(20_000), function () use ($lease, &$other): void {
            $other = $this->locksOf()->attach($lease->detach());
        });
        self::assertInstanceOf(QuorumException::class, $failed);
        $this->assertIsTheOnlyOne($other);
    }

    public function testWhatOneOfTwoOwnersPassedOnIsKeptToo(): void
    {
        $locks = $this->locksOf();
        $lease = $locks->acquire('r', 60_000, 0, ['reentrant' => true]);
        $second = $locks->acquire('r', 60_000, 0, ['reentrant' => true]);
        $other = null;
        $this->asked(static fn () => $lease->shorten(20_000), function () use ($second, &$other): void {
            $other = $this->locksOf()->attach($second->detach());
            throw new \LogicException('in between');
        });
        self::assertFalse($lease->isLive());
        $this->assertIsTheOnlyOne($other);
    }

    public function testTheTokenIsTheFreshOneAlreadyWhileTheServersAreAsked(): void
    {
        $lease = $this->locksOf()->acquire('r', 60_000);
        $old = $lease->token;
        $seen = [];
        $this->asked(static fn () => $lease->shorten(20_000), function () use ($lease, &$seen): void {
            $this->goOn();
            $seen = [$lease->token, $lease->handle()['token'], $lease->detach()['token']];
        });
        self::assertNotSame($old, $lease->token);
        self::assertSame([$lease->token, $lease->token, $lease->token], $seen);
    }

    public function testAHandlerMayShortenItFurther(): void
    {
        $told = [];
        $locks = new LockManager($this->servers->specs(3), ['timeout' => 5.0, 'onEvent' => static function (string $event) use (&$told): void {
            $told[] = $event;
        }]);
        $lease = $locks->acquire('r', 60_000);
        $further = null;
        $shortened = $this->asked(static fn () => $lease->shorten(20_000), function () use ($lease, &$further): void {
            $this->goOn();
            $further = $lease->shorten(10_000);
        });
        self::assertTrue($further);
        self::assertTrue($shortened, 'it is live, and ends even sooner');
        self::assertTrue($lease->isLive());
        self::assertLessThanOrEqual(10_000.0, $lease->remaining());
        Wait::until(fn (): bool => $this->servers->values('r', 3) === array_fill(0, 3, $lease->token), 'all servers to have the latest token');
        self::assertLessThanOrEqual(10_000, max($this->servers->each(static fn ($client): int => $client->call('PTTL', 'r'), 3)));
        self::assertTrue($lease->confirm());
        self::assertSame(['acquired', 'shortened'], $told);
        self::assertTrue($lease->release());
        $this->allGone();
    }

    public function testALeaseThatAHandlerShortensFurtherIsKeptAliveAsBefore(): void
    {
        $lease = $this->locksOf()->acquire('r', 60_000, 0, ['keepAlive' => true, 'interrupt' => true]);
        $this->asked(static fn () => $lease->shorten(20_000), function () use ($lease): void {
            $this->goOn();
            $lease->shorten(1_500);
        });
        usleep(2_500_000);
        self::assertTrue($lease->isLive());
        self::assertTrue($lease->confirm());
        $this->servers->each(static fn ($client) => $client->call('DEL', 'r'), 3);
        $this->expectException(\RedLock\LeaseLostException::class);
        for ($end = Wait::now() + 20.0; Wait::now() < $end;) {
        }
    }

    public function testWhatAHandlerWantsKeptAliveIsKeptWithTheFreshToken(): void
    {
        $locks = $this->locksOf();
        $lease = $locks->acquire('r', 60_000, 0, ['reentrant' => true]);
        $second = null;
        $shortened = $this->asked(static fn () => $lease->shorten(1_500), function () use ($locks, &$second): void {
            $second = $locks->acquire('r', 60_000, 0, ['reentrant' => true, 'keepAlive' => true]);
            $this->goOn();
        });
        self::assertTrue($shortened);
        usleep(2_500_000);
        self::assertTrue($second->confirm());
    }

    public function testAnExtendDuringWhichAHandlerShortensItGivesNoMoreTime(): void
    {
        $lease = $this->locksOf()->acquire('r', 60_000);
        $shortened = null;
        $extended = $this->asked(static fn () => $lease->extend(120_000), function () use ($lease, &$shortened): void {
            $this->goOn();
            $shortened = $lease->shorten(10_000);
        });
        self::assertTrue($shortened);
        self::assertFalse($extended);
        self::assertLessThanOrEqual(10_000.0, $lease->remaining());
        self::assertTrue($lease->confirm());
    }

    public function testAConfirmDuringWhichAHandlerShortensItLosesNothing(): void
    {
        $lease = $this->locksOf()->acquire('r', 60_000);
        $shortened = null;
        $confirmed = $this->asked(static fn () => $lease->confirm(), function () use ($lease, &$shortened): void {
            $this->goOn();
            $shortened = $lease->shorten(10_000);
        });
        self::assertTrue($shortened);
        self::assertFalse($confirmed, 'what was asked about is no more');
        self::assertTrue($lease->isLive());
        self::assertTrue($lease->confirm());
    }
}
