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
        // A server that is later than a quarter of that would be asked twice.
        $locks = self::locks(options: ['timeout' => 20.0]);
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

    public function testAnExtendWhoseAnswersWereLostIsShortenedToo(): void
    {
        $fleet = $this->fleet(3);
        $lease = (new LockManager($fleet->specs(3), ['timeout' => 0.3]))->acquire('r', 10_000);
        array_map(static fn ($server) => $server->stop(), $fleet->servers);
        self::caught(QuorumException::class, static fn () => $lease->extend(300_000));
        array_map(static fn ($server) => $server->cont(), $fleet->servers);
        $ttls = static fn (): array => $fleet->each(static fn ($client): int => $client->call('PTTL', 'r'), 3);
        Wait::until(static fn (): bool => min($ttls()) > 200_000, 'the extends to arrive');
        // More than what is trusted, and less than what the servers were told.
        self::assertTrue($lease->shorten(15_000));
        // A server that had no connection at that moment is told with the next call.
        Wait::until(static fn (): bool => $lease->confirm() && max($ttls()) <= 15_000, 'all servers to know');
        self::assertGreaterThan(10_000.0, $lease->remaining());
    }

    public function testALeaseThatWasAttachedIsShortenedWhateverItsHandleSays(): void
    {
        $handle = self::leased(self::locks(), 'r', 60_000)->detach();
        $lease = self::locks()->attach(['validity' => 1_000.0] + $handle);
        self::assertTrue($lease->shorten(5_000));
        self::assertNotSame($handle['token'], $lease->token);
        self::assertLessThanOrEqual(5_000, max(self::ttls()));
        self::assertTrue($lease->confirm());
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

    /** What was planted is removed where the lock is released, and not where its token is exchanged. */
    public function testALeaseOfWhichAVoteWasPlantedAgainIsShortenedAndReleased(): void
    {
        // With less an extend of these servers may have no time to hear what each says.
        $lease = self::leased(self::locks(), 'r', 4_000, ['keepAlive' => true]);
        self::$fleet->servers[2]->client()->call('DEL', 'r');
        Wait::until(static fn (): bool => self::votes($lease) === 3, 'the lost vote to be planted again', 20.0);
        self::assertTrue($lease->shorten(1_000));
        self::assertSame(3, self::votes($lease));
        usleep(1_500_000);
        self::assertTrue($lease->confirm());
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

    public function testALockOfWhichAPartWasPassedOnIsExtendedInstead(): void
    {
        $servers = $this->fleet(3);
        $locks = new LockManager($servers->specs(3));
        $stays = $locks->acquire('r', 60_000, 0, ['reentrant' => true]);
        $goes = $locks->acquire('r', 60_000, 0, ['reentrant' => true]);
        $successor = (new LockManager($servers->specs(3)))->attach($goes->detach());
        $token = $stays->token;
        self::assertTrue($stays->shorten(1_000));
        self::assertSame($token, $stays->token);
        self::assertSame([$token, $token, $token], $servers->values('r', 3));
        self::assertGreaterThan(30_000, min($servers->each(static fn ($client): int => $client->call('PTTL', 'r'), 3)));
        self::assertTrue($successor->isLive());
        self::assertTrue($successor->confirm());
    }

    public function testAPartThatIsReleasedCannotPassTheLockOn(): void
    {
        $servers = $this->fleet(3);
        $locks = new LockManager($servers->specs(3));
        $one = $locks->acquire('r', 60_000, 0, ['reentrant' => true]);
        $other = $locks->acquire('r', 60_000, 0, ['reentrant' => true]);
        $one->release();
        $one->detach();
        unset($one, $other);
        self::assertTrue(Wait::until(static fn (): bool => $servers->keyCount(3) === 0, 'the lock to be released'));
    }

    public function testOneServerThatIsSilentForLongerThanTheTtlCostsNoLease(): void
    {
        $servers = $this->fleet(3);
        $lease = (new LockManager($servers->specs(3), ['timeout' => 8.0]))->acquire('r', 60_000);
        $servers->servers[1]->stop();
        try {
            self::assertTrue($lease->shorten(2_000));
            self::assertTrue($lease->isLive());
        } finally {
            $servers->servers[1]->cont();
        }
    }
}
