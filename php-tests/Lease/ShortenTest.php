<?php

/** shorten(): the lease ends sooner on the servers too, under another token. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\LeaseTestCase;

final class ShortenTest extends LeaseTestCase
{
    /** For how many milliseconds each of the three servers keeps the lock. */
    private static function ttls(): array
    {
        return self::$fleet->each(static fn ($client): int => $client->call('PTTL', 'r'), 3);
    }

    public function testTheServersKeepItForTheShortTtlOnly(): void
    {
        $lease = self::leased(self::locks(), 'r', 60_000);
        self::assertTrue($lease->shorten(2_000));
        self::assertLessThanOrEqual(2_000.0, $lease->remaining());
        self::assertGreaterThan(0.0, $lease->remaining());
        self::assertLessThanOrEqual(2_000, max(self::ttls()));
        self::assertSame(3, self::votes($lease));
    }

    public function testTheTokenIsAnotherOneAndAllVerbsGoOnWithIt(): void
    {
        $locks = self::locks();
        $lease = self::leased($locks, 'r', 60_000, ['owner' => 'web 7']);
        $old = $lease->token;
        self::assertTrue($lease->shorten(5_000));
        self::assertNotSame($old, $lease->token);
        self::assertStringStartsWith('web 7:', $lease->token);
        self::assertSame('web 7', $locks->owner('r'));
        self::assertSame($lease->token, $lease->handle()['token']);
        self::assertTrue($lease->confirm());
        self::assertTrue($lease->extend(30_000));
        self::assertGreaterThan(20_000, max(self::ttls()));
        self::assertTrue($lease->release());
        self::assertReleased();
    }

    public function testItsHandleIsThatOfTheFreshToken(): void
    {
        $locks = self::locks();
        $lease = self::leased($locks, 'r', 60_000);
        $lease->shorten(5_000);
        $again = self::locks()->attach($lease->detach());
        self::assertTrue($again->confirm());
        self::assertTrue($again->release());
        self::assertReleased();
    }

    public function testItIsOneRequestToEachServer(): void
    {
        $locks = self::locks();
        $lease = self::leased($locks, 'r', 60_000);
        // Those of other tests are counted too.
        $requests = static fn (): array => array_map(static fn (array $server): int => $server['requests'], $locks->stats()['servers']);
        $before = $requests();
        self::assertTrue($lease->shorten(5_000));
        self::assertSame([1, 1, 1], array_values(array_filter(array_map(
            static fn (int $now, int $then): int => $now - $then,
            $requests(),
            $before,
        ))));
    }

    public function testATtlThatIsNoShorterExtends(): void
    {
        $lease = self::leased(self::locks(), 'r', 5_000);
        $token = $lease->token;
        self::assertTrue($lease->shorten(60_000));
        self::assertSame($token, $lease->token);
        self::assertGreaterThan(50_000.0, $lease->remaining());
        self::assertGreaterThan(50_000, max(self::ttls()));
    }

    public function testAllLeasesOfOneLockHaveTheFreshToken(): void
    {
        $locks = self::locks();
        $first = self::leased($locks, 'r', 60_000, ['reentrant' => true]);
        $second = self::leased($locks, 'r', 60_000, ['reentrant' => true]);
        $gone = self::leased($locks, 'r', 60_000, ['reentrant' => true]);
        unset($gone);
        self::assertTrue($second->shorten(5_000));
        self::assertSame($first->token, $second->token);
        self::assertLessThanOrEqual(5_000.0, $first->remaining());
        self::assertTrue($first->confirm());
        self::assertSame($first->token, self::leased($locks, 'r', 60_000, ['reentrant' => true])->token);
    }

    public function testALeaseThatIsKeptAliveGoesOnWithTheShortTtl(): void
    {
        $lease = self::leased(self::locks(), 'r', 60_000, ['keepAlive' => true]);
        self::assertTrue($lease->shorten(400));
        usleep(1_500_000);
        self::assertTrue($lease->isLive());
        self::assertTrue($lease->confirm());
        self::assertLessThanOrEqual(400, max(self::ttls()));
        self::assertTrue($lease->release());
        self::assertReleased();
    }

    public function testTheLossOfALeaseThatWasShortenedInterruptsAsBefore(): void
    {
        $lease = self::leased(self::locks(), 'r', 60_000, ['keepAlive' => true, 'interrupt' => true]);
        self::assertTrue($lease->shorten(600));
        self::steal();
        $this->expectException(\RedLock\LeaseLostException::class);
        for ($end = Wait::now() + 20.0; Wait::now() < $end;) {
        }
    }

    public function testWhatIsNotOursAnyMoreIsLost(): void
    {
        $lease = self::leased(self::locks(), 'r', 60_000);
        self::steal();
        $next = self::leased(self::locks(), 'r', 60_000);
        self::assertFalse($lease->shorten(5_000));
        self::assertFalse($lease->isLive());
        self::assertTrue($next->confirm());
        self::assertFalse($lease->shorten(1_000), 'it stays over');
    }

    public function testAVoteOfAMinorityThatIsLostIsNotMissed(): void
    {
        $lease = self::leased(self::locks(), 'r', 60_000);
        self::$fleet->each(static fn ($client) => $client->call('DEL', 'r'), 1);
        self::assertTrue($lease->shorten(5_000));
        self::assertSame(2, self::votes($lease));
        self::assertTrue($lease->confirm());
    }

    public function testWithoutAMajorityItIsAnExceptionAndTheLeaseIsOver(): void
    {
        $fleet = $this->fleet(3);
        $lease = (new LockManager($fleet->specs(3), ['timeout' => 0.2]))->acquire('r', 60_000);
        array_map(static fn ($server) => $server->stop(), $fleet->servers);
        $error = self::caught(QuorumException::class, static fn () => $lease->shorten(5_000));
        self::assertStringContainsString('RedLock\Lease::shorten(): no majority of 3 servers could be asked', $error->getMessage());
        self::assertFalse($lease->isLive());
    }

    public function testAnExceptionOfASignalHandlerEndsTheLeaseAndLeavesNothing(): void
    {
        $fleet = $this->fleet(3);
        $locks = new LockManager($fleet->specs(3), ['timeout' => 5.0]);
        $lease = $locks->acquire('r', 60_000);
        foreach ([0, 1, 2] as $i) {
            $fleet->servers[$i]->stop();
        }
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, static fn () => throw new \LogicException('in between'));
        pcntl_alarm(1);
        try {
            $lease->shorten(5_000);
            self::fail('the handler has thrown');
        } catch (\LogicException) {
        } finally {
            pcntl_signal(SIGALRM, SIG_DFL);
        }
        self::assertFalse($lease->isLive());
        foreach ([0, 1, 2] as $i) {
            $fleet->servers[$i]->cont();
        }
        Wait::until(static fn (): bool => $fleet->keyCount(3) === 0, 'both tokens to go');
    }

    public function testASignalHandlerMayReleaseItMeanwhile(): void
    {
        $fleet = $this->fleet(3);
        $locks = new LockManager($fleet->specs(3), ['timeout' => 5.0]);
        $lease = $locks->acquire('r', 60_000);
        foreach ([0, 1, 2] as $i) {
            $fleet->servers[$i]->stop();
        }
        pcntl_async_signals(true);
        $released = null;
        pcntl_signal(SIGALRM, static function () use ($fleet, $lease, &$released): void {
            foreach ([0, 1, 2] as $i) {
                $fleet->servers[$i]->cont();
            }
            $released = $lease->release();
        });
        pcntl_alarm(1);
        self::assertFalse($lease->shorten(5_000));
        pcntl_signal(SIGALRM, SIG_DFL);
        self::assertTrue($released);
        self::assertFalse($lease->isLive());
        Wait::until(static fn (): bool => $fleet->keyCount(3) === 0, 'both tokens to go');
    }

    public function testWhoWaitsHasItWhenTheShortTtlIsOver(): void
    {
        $lease = self::leased(self::locks(), 'r', 60_000);
        self::assertTrue($lease->shorten(500));
        $lease->detach();
        self::assertNotNull(self::locks()->acquire('r', 1_000, 10_000));
    }

    public function testABadTtlIsRefusedAndChangesNothing(): void
    {
        $lease = self::leased(self::locks());
        $token = $lease->token;
        foreach ([0 => 'must be greater than 0', -5 => 'must be greater than 0', 1 => 'is too small: clock drift leaves no validity'] as $ttl => $why) {
            $error = self::caught(\ValueError::class, static fn () => $lease->shorten($ttl));
            self::assertSame("RedLock\\Lease::shorten(): Argument #1 (\$ttl) $why", $error->getMessage());
        }
        self::assertSame($token, $lease->token);
        self::assertTrue($lease->confirm());
    }

    public function testItIsToldAsAnEvent(): void
    {
        $told = [];
        $locks = self::locks(options: ['onEvent' => static function (string $event) use (&$told): void {
            $told[] = $event;
        }]);
        $lease = self::leased($locks, 'r', 60_000);
        $lease->shorten(5_000);
        self::steal();
        $lease->shorten(1_000);
        unset($lease);
        self::assertSame(['acquired', 'shortened', 'lost'], $told);
    }
}
