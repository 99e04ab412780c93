<?php

/** Several resources at once: all of them, or none. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\DeadlockException;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;
use RedLock\NotAcquiredException;
use RedLock\Tests\Support\LeaseTestCase;

final class AcquireAllTest extends LeaseTestCase
{
    /** @param list<string|int> $resources */
    private static function all(LockManager $locks, array $resources, array $options = []): Lease
    {
        $lease = $locks->acquireAll($resources, 10_000, 0, $options);
        self::assertInstanceOf(Lease::class, $lease);
        return $lease;
    }

    /** How many of the servers hold the token under each. @param list<string> $resources @return list<int> */
    private static function votesFor(Lease $lease, array $resources): array
    {
        $votes = static fn (string $resource): int => count(array_keys(self::$fleet->values($resource), $lease->token, true));
        return array_map($votes, $resources);
    }

    /** @dataProvider fleetSizes */
    public function testAllAreHeldByOneLease(int $servers): void
    {
        $lease = self::all(self::locks($servers), ['b', 'a', 7]);
        self::assertSame(['b', 'a', 7], $lease->resource);
        foreach (self::votesFor($lease, ['a', 'b', '7']) as $votes) {
            self::assertGreaterThan($servers / 2, $votes);
        }
        foreach (['a', 'b', 7] as $one) {
            self::assertNull(self::locks($servers)->acquire($one));
        }
        self::assertTrue($lease->confirm());
        self::assertTrue($lease->release());
        foreach (self::votesFor($lease, ['a', 'b', '7']) as $votes) {
            self::assertLessThan($servers / 2, $votes);
        }
    }

    public function testNoneIsHeldWhereOneIsBusy(): void
    {
        $held = self::leased(self::locks(), 'b');
        self::assertNull(self::locks()->acquireAll(['a', 'b', 'c']));
        self::assertSame([], array_filter([...self::$fleet->values('a'), ...self::$fleet->values('c')]));
        self::assertTrue($held->confirm());
    }

    public function testTheyAreExtendedAndShortenedTogether(): void
    {
        $lease = self::all(self::locks(), ['a', 'b']);
        self::assertTrue($lease->extend(30_000));
        $left = static fn (string $resource): int => (int) self::$fleet->servers[0]->client()->call('PTTL', $resource);
        self::assertGreaterThan(20_000, min($left('a'), $left('b')));
        self::assertTrue($lease->shorten(5_000));
        self::assertLessThanOrEqual(5_000, max($left('a'), $left('b')));
        self::assertGreaterThan(0, min($left('a'), $left('b')));
        self::assertTrue($lease->confirm());
    }

    public function testWhereOneIsTakenAwayTheLeaseIsLost(): void
    {
        $lease = self::all(self::locks(), ['a', 'b']);
        self::steal('b');
        self::assertFalse($lease->confirm());
        self::assertFalse($lease->isLive());
        unset($lease);
        self::assertReleased('a');
    }

    public function testAreReleasedAtTheEndOfTheirScope(): void
    {
        self::all(self::locks(), ['a', 'b']);
        self::assertReleased('a');
        self::assertReleased('b');
    }

    public function testAreKeptAlive(): void
    {
        $lease = self::locks()->acquireAll(['a', 'b'], 600, 0, ['keepAlive' => true]);
        $until = Wait::now() + 1.5;
        Wait::until(static fn (): bool => Wait::now() > $until, 'time to pass');
        self::assertTrue($lease->confirm());
    }

    public function testHaveAFenceLargerThanThatOfEach(): void
    {
        $fence = ['fence' => true];
        $before = self::leased(self::locks(), 'b', options: $fence);
        $before->release();
        $lease = self::all(self::locks(), ['a', 'b'], $fence);
        self::assertGreaterThan($before->fence, $lease->fence);
        $lease->release();
        self::assertGreaterThan($lease->fence, self::leased(self::locks(), 'a', options: $fence)->fence);
    }

    public function testTheirHandleIsALeaseAgain(): void
    {
        $handle = self::all(self::locks(), ['a', 'b'])->detach();
        self::assertSame(['a', 'b'], $handle['resource']);
        $lease = self::locks()->attach($handle);
        self::assertTrue($lease->confirm());
        self::assertTrue($lease->release());
        self::assertReleased('b');
    }

    public function testRedLockRefusesTheirHandle(): void
    {
        $handle = self::all(self::locks(), ['a', 'b'])->handle();
        $this->expectException(\TypeError::class);
        $this->expectExceptionMessage('must have a string or int under "resource", array given');
        (new \RedLock(self::$fleet->specs(3)))->unlock($handle);
    }

    public function testSynchronizedTakesAnArray(): void
    {
        $seen = self::locks()->synchronized(['a', 'b'], fn (Lease $lease) => self::votesFor($lease, ['a', 'b']));
        self::assertGreaterThan(1, min($seen));
        self::assertReleased('a');
        $held = self::leased(self::locks(), 'b');
        $this->expectException(NotAcquiredException::class);
        $this->expectExceptionMessage("another client has the lock on 'a' and 'b', after 10 ms of waiting");
        self::locks()->synchronized(['a', 'b'], static fn () => self::fail('it was called'), wait: 10);
    }

    /** @group real */
    public function testWhoWaitsGetsThemWhenTheBusyOneIsReleased(): void
    {
        $held = self::leased(self::locks(), 'b');
        $waiter = $this->php(
            '$locks = new RedLock\LockManager($args["servers"]);
            $lease = $locks->acquireAll(["a", "b"], 10_000, 20_000);
            report([$lease?->resource, $locks->stats()["handedOver"]]);',
            ['servers' => self::$fleet->specs(3)],
        );
        self::awaitOneInLineOf('b');
        self::assertNotNull(self::locks()->acquire('a')?->release(), 'it holds none while it waits');
        $held->release();
        self::assertSame([['a', 'b'], 1], PhpProcess::report($waiter));
    }

    /** @group real */
    public function testWhoeverWaitsForThemInAnotherOrderMakesNoDeadlock(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"]);
            for ($i = 0; $i < 30; ++$i) {
                $lease = $locks->acquireAll($args["all"], 10_000, 30_000) ?? throw new Exception("not acquired");
                $mine = array_map(fn ($of) => fopen("{$args["dir"]}/$of", "x") ?: throw new Exception("two inside"), $args["all"]);
                array_map(fn ($of) => unlink("{$args["dir"]}/$of"), $args["all"]);
                $lease->release();
            }
            report("done");';
        $dir = sys_get_temp_dir() . '/redlock-all-' . bin2hex(random_bytes(6));
        mkdir($dir);
        $orders = [['a', 'b'], ['b', 'a'], ['b', 'c'], ['c', 'a']];
        $start = fn (array $all) => $this->php($code, ['servers' => self::$fleet->specs(3), 'all' => $all, 'dir' => $dir]);
        foreach (array_map($start, $orders) as $process) {
            self::assertSame('done', PhpProcess::report($process));
        }
        rmdir($dir);
    }

    public function testWaitingWithoutAnEndForOneThatThisProcessHoldsIsADeadlock(): void
    {
        $locks = self::locks();
        $held = self::leased($locks, 'b');
        $this->expectException(DeadlockException::class);
        $locks->acquireAll(['a', 'b'], 10_000, null);
    }

    public function testEventsNameThemAll(): void
    {
        $told = [];
        $locks = self::locks(3, ['onEvent' => static function (string $event, array $facts) use (&$told): void {
            $told[] = [$event, $facts['resource']];
        }]);
        self::all($locks, ['b', 'a'])->release();
        self::assertSame([['acquired', ['a', 'b']], ['released', ['a', 'b']]], $told);
    }

    /** @dataProvider badResources */
    public function testWhatCannotBeMeantIsRefused(string $class, string $message, array $resources, array $options = []): void
    {
        $this->expectException($class);
        $this->expectExceptionMessage($message);
        self::locks()->acquireAll($resources, 1000, 0, $options);
    }

    /** @return iterable<string, array<mixed>> */
    public static function badResources(): iterable
    {
        $value = \ValueError::class;
        yield 'none' => [$value, 'acquireAll(): Argument #1 ($resources) must have 1 to 16 resources, 0 given', []];
        yield 'too many' => [$value, 'must have 1 to 16 resources, 17 given', range(1, 17)];
        yield 'one twice' => [$value, 'acquireAll(): Argument #1 ($resources) must not name a resource twice', ['a', 'b', 'a']];
        yield 'one twice, as an int too' => [$value, 'must not name a resource twice', ['1', 1]];
        yield 'no name' => [\TypeError::class, 'must be an array of string|int, float given in it', ['a', 1.5]];
        yield 'a long name' => [$value, 'must be at most 65536 bytes long each', ['a', str_repeat('r', 65537)]];
        yield 'reentrant' => [$value, 'reentrant is for one resource only', ['a', 'b'], ['reentrant' => true]];
    }

    private static function awaitOneInLineOf(string $resource): void
    {
        $waits = static fn (): array => self::$fleet->each(static fn ($client): int => $client->call('ZCARD', "$resource:redlock:line"), 3);
        Wait::until(static fn (): bool => $waits() === [1, 1, 1], "one to stand in the line of '$resource'");
    }
}
