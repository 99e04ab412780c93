<?php

/** Fences: every holder's number is larger than those of all before. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Monitor;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\LeaseTestCase;

final class FenceTest extends LeaseTestCase
{
    private const FENCE = ['fence' => true];
    private const MAX = 9_007_199_254_740_991;

    /** @dataProvider fleetSizes */
    public function testEachHolderHasALargerOne(int $servers): void
    {
        $before = 0;
        for ($i = 0; $i < 20; ++$i) {
            $lease = self::leased(self::locks($servers), options: self::FENCE);
            self::assertGreaterThan($before, $lease->fence);
            $before = $lease->fence;
            self::assertTrue($lease->release());
        }
    }

    public function testItIsTheTimeInMicrosecondsWhereNothingIsInTheWay(): void
    {
        $lease = self::leased(self::locks(), options: self::FENCE);
        self::assertEqualsWithDelta(microtime(true) * 1e6, $lease->fence, 10e6);
    }

    /** @group real */
    public function testItCostsNoRoundTripOfItsOwn(): void
    {
        $monitors = array_map(static fn ($server): Monitor => new Monitor($server), array_slice(self::$fleet->servers, 0, 3));
        $lease = self::leased(self::locks(), options: self::FENCE);
        self::assertNotNull($lease->fence);
        foreach ($monitors as $monitor) {
            self::assertSame([], array_filter($monitor->commands(), self::raises(...)));
        }
    }

    /** The script of a raise gets a key, a token, a proposal and a ttl. @param list<string> $words */
    private static function raises(array $words): bool
    {
        return str_starts_with($words[0], 'EVAL') && count($words) === 7;
    }

    public function testWithoutTheOptionThereIsNone(): void
    {
        $lease = self::leased(self::locks());
        self::assertNull($lease->fence);
        self::assertArrayNotHasKey('fence', $lease->handle());
        self::assertSame([], array_filter(self::$fleet->values('r:redlock:fence')));
    }

    /** @group real */
    public function testIsAboveThatOfAHolderWhoseClockIsFarAhead(): void
    {
        $ahead = (int) (microtime(true) * 1e6) + 3_600_000_000;
        foreach ([0, 1] as $server) {
            self::$fleet->servers[$server]->client()->call('SET', 'r:redlock:fence', (string) $ahead);
        }
        $locks = self::locks();
        $fences = [];
        for ($i = 0; $i < 3; ++$i) {
            $lease = self::leased($locks, options: self::FENCE);
            $fences[] = $lease->fence;
            $lease->release();
        }
        self::assertSame([$ahead + 1, $ahead + 2, $ahead + 3], $fences);
    }

    /** @group real */
    public function testOneServerThatIsAheadIsNoTrouble(): void
    {
        $ahead = (int) (microtime(true) * 1e6) + 3_600_000_000;
        self::$fleet->servers[0]->client()->call('SET', 'r:redlock:fence', (string) $ahead);
        $lease = self::leased(self::locks(), options: self::FENCE);
        self::assertLessThanOrEqual($ahead + 1, $lease->fence);
        $lease->release();
        self::assertGreaterThan($lease->fence, self::leased(self::locks(), options: self::FENCE)->fence);
    }

    /** @group real */
    public function testALockThatIsHandedOverInLineHasALargerOneToo(): void
    {
        $lease = self::leased(self::locks(), options: self::FENCE);
        $waiter = $this->php(
            '$locks = new RedLock\LockManager($args["servers"]);
            $lease = $locks->acquire("r", 10_000, 20_000, ["fence" => true]);
            report([$lease->fence, $locks->stats()["handedOver"]]);',
            ['servers' => self::$fleet->specs(3)],
        );
        $waits = static fn (): array => self::$fleet->each(static fn ($client): int => $client->call('ZCARD', 'r:redlock:line'), 3);
        Wait::until(static fn (): bool => $waits() === [1, 1, 1], 'it to stand in line');
        self::assertTrue($lease->release());
        [$fence, $handedOver] = PhpProcess::report($waiter);
        self::assertSame(1, $handedOver);
        self::assertGreaterThan($lease->fence, $fence);
    }

    public function testItTravelsWithTheHandle(): void
    {
        $lease = self::leased(self::locks(), options: self::FENCE);
        $handle = $lease->detach();
        self::assertSame($lease->fence, $handle['fence']);
        $attached = self::locks()->attach($handle, self::FENCE);
        self::assertSame($handle['fence'], $attached->fence);
        self::assertTrue((new RedLock(self::$fleet->specs(3)))->isHeld($attached->handle()));
    }

    public function testStaysTheSameWhileTheLockIsExtendedAndShortened(): void
    {
        $lease = self::leased(self::locks(), options: self::FENCE);
        $fence = $lease->fence;
        self::assertTrue($lease->extend(20_000));
        self::assertTrue($lease->shorten(5_000));
        self::assertSame($fence, $lease->fence);
        self::assertSame($fence, $lease->handle()['fence']);
    }

    public function testAReentrantLeaseHasTheFenceOfItsLock(): void
    {
        $locks = self::locks();
        $outer = self::leased($locks, options: self::FENCE + ['reentrant' => true]);
        $inner = self::leased($locks, options: self::FENCE + ['reentrant' => true]);
        self::assertSame($outer->fence, $inner->fence);
    }

    public function testAReentrantLeaseOfALockWithoutOneIsRefused(): void
    {
        $locks = self::locks();
        $outer = self::leased($locks, options: ['reentrant' => true]);
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage('fence needs a lock that was acquired with it');
        self::leased($locks, options: self::FENCE + ['reentrant' => true]);
    }

    public function testSynchronizedPassesItOn(): void
    {
        $fence = self::locks()->synchronized('r', static fn ($lease) => $lease->fence, options: self::FENCE);
        self::assertGreaterThan(0, $fence);
    }

    public function testServersRememberItForADayOrForFenceTtl(): void
    {
        self::leased(self::locks(), options: self::FENCE);
        self::leased(self::locks(3, ['fenceTtl' => 60_000]), 'short', options: self::FENCE);
        $left = fn (string $resource): int => (int) self::$fleet->servers[0]->client()->call('PTTL', "$resource:redlock:fence");
        self::assertEqualsWithDelta(86_400_000, $left('r'), 60_000);
        self::assertEqualsWithDelta(60_000, $left('short'), 30_000);
    }

    /** @group real */
    public function testAKeyThatHoldsSomethingElseIsToldAndNothingIsTaken(): void
    {
        self::$fleet->each(static fn ($client) => $client->call('SET', 'r:redlock:fence', 'no number'));
        $locks = self::locks();
        try {
            $lease = $locks->acquire('r', options: self::FENCE);
            self::fail('it was acquired');
        } catch (QuorumException $error) {
            self::assertStringContainsString('the key of the fence holds something else', $error->getMessage());
        }
        self::assertSame([], array_filter(self::$fleet->values('r')));
        self::assertNotNull($locks->acquire('r'), 'without a fence it is free');
    }

    /** @group real */
    public function testWhereNoneIsLargerNothingIsTaken(): void
    {
        self::$fleet->each(static fn ($client) => $client->call('SET', 'r:redlock:fence', (string) self::MAX));
        try {
            $lease = self::locks()->acquire('r', options: self::FENCE);
            self::fail('it was acquired');
        } catch (QuorumException $error) {
            self::assertStringContainsString('the largest that there is', $error->getMessage());
        }
        self::assertReleased();
    }

    /** @dataProvider handlesThatHaveNone */
    public function testAHandleWithoutAUsableOneIsRefused(string $class, string $message, mixed $handle): void
    {
        $this->expectException($class);
        $this->expectExceptionMessage($message);
        self::locks()->attach($handle + ['validity' => 5000, 'resource' => 'r', 'token' => 't'], self::FENCE);
    }

    /** @return iterable<string, array{string, string, array<string, mixed>}> */
    public static function handlesThatHaveNone(): iterable
    {
        yield 'none' => [\ValueError::class, 'fence needs a handle with a fence', []];
        yield 'null' => [\ValueError::class, 'fence needs a handle with a fence', ['fence' => null]];
        yield 'a text' => [\TypeError::class, 'must have an int or null under "fence", string given', ['fence' => '7']];
        yield 'too small' => [\ValueError::class, 'must have a fence between 1 and 9007199254740991', ['fence' => 0]];
        yield 'too large' => [\ValueError::class, 'must have a fence between 1 and 9007199254740991', ['fence' => self::MAX + 1]];
    }

    /** @dataProvider fenceTtls */
    public function testATimeOutOfItsRangeIsRefused(mixed $ttl, string $class, string $message): void
    {
        $this->expectException($class);
        $this->expectExceptionMessage($message);
        self::locks(3, ['fenceTtl' => $ttl]);
    }

    /** @return iterable<string, array{mixed, string, string}> */
    public static function fenceTtls(): iterable
    {
        yield 'none' => [0, \ValueError::class, 'fenceTtl must be greater than 0'];
        yield 'too long' => [3_153_600_000_001, \ValueError::class, 'fenceTtl must be at most 3153600000000 ms'];
        yield 'a text' => ['x', \ValueError::class, 'fenceTtl must be a whole number'];
    }
}
