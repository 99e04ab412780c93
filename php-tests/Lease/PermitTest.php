<?php

/** Permits: a semaphore, of which each permit is the lock on a slot. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Fleet;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;
use RedLock\Tests\Support\LeaseTestCase;

final class PermitTest extends LeaseTestCase
{
    /** Holds a permit until it is told to go on. */
    private const HOLDER = '
        $locks = new RedLock\LockManager($args["servers"]);
        $lease = $locks->acquirePermit("r", 2, $args["ttl"], $args["wait"]);
        report($lease?->resource);
        fgets(STDIN);
        $lease?->release();
        report("released");
    ';

    /** Counts in a server of its own who is inside, over and over, and reports how often, and the most it saw. */
    private const HAMMER = '
        $counter = new RedLock\Harness\RespClient($args["counter"]);
        $locks = new RedLock\LockManager($args["servers"]);
        [$rounds, $most] = [0, 0];
        for ($end = microtime(true) + $args["seconds"]; microtime(true) < $end; ++$rounds) {
            try {
                $lease = $locks->acquirePermit("r", $args["permits"], 5_000, $args["wait"]);
            } catch (RedLock\QuorumException) {
                continue;
            }
            if (!$lease) {
                continue;
            }
            $most = max($most, $counter->call("INCR", "inside"));
            usleep(random_int(0, 3_000));
            $counter->call("DECR", "inside");
            $lease->release();
        }
        report([$rounds, $most]);
    ';

    private static function permit(LockManager $locks, int $permits, int $ttl = 10_000, array $options = []): Lease
    {
        $lease = $locks->acquirePermit('r', $permits, $ttl, 0, $options);
        self::assertInstanceOf(Lease::class, $lease, 'no permit could be had');
        return $lease;
    }

    private function holder(int $servers = 3, int $ttl = 30_000, int $wait = 20_000): ChildProcess
    {
        return $this->php(self::HOLDER, ['servers' => self::$fleet->specs($servers), 'ttl' => $ttl, 'wait' => $wait]);
    }

    private static function awaitInLine(int $count, int $servers = 3): void
    {
        $waits = static fn (): array => self::$fleet->each(
            static fn ($client): int => $client->call('ZCARD', 'r:redlock:slot:redlock:line'),
            $servers,
        );
        Wait::until(static fn (): bool => $waits() === array_fill(0, $servers, $count), "$count to stand in line");
    }

    /** @dataProvider fleetSizes */
    public function testSoManyHoldOneAndNoMore(int $servers): void
    {
        $leases = [];
        for ($i = 0; $i < 3; ++$i) {
            $leases[] = self::permit(self::locks($servers), 3);
        }
        $names = array_map(static fn (Lease $lease): string => $lease->resource, $leases);
        sort($names);
        self::assertSame(['r:redlock:slot:0', 'r:redlock:slot:1', 'r:redlock:slot:2'], $names);
        self::assertNull(self::locks($servers)->acquirePermit('r', 3));
        foreach ($leases as $lease) {
            self::assertGreaterThan($servers / 2, self::votes($lease));
            self::assertTrue($lease->confirm());
        }
        self::assertTrue($leases[1]->release());
        self::assertSame($leases[1]->resource, self::permit(self::locks($servers), 3)->resource);
    }

    public function testThePermitIsExtendedShortenedAndKeptAliveAsALock(): void
    {
        $lease = self::permit(self::locks(), 2, 600, ['keepAlive' => true, 'owner' => 'web-3']);
        $began = Wait::now();
        Wait::until(static fn (): bool => Wait::now() - $began > 1.0, 'more than a ttl to go by');
        self::assertTrue($lease->isLive());
        self::assertTrue($lease->confirm());
        self::assertSame('web-3', self::locks()->owner($lease->resource));
        self::assertTrue($lease->extend(20_000));
        self::assertTrue($lease->shorten(5_000));
        self::assertTrue($lease->release());
        self::assertReleased($lease->resource);
    }

    /** @group real */
    public function testAHandleCarriesThePermitIntoAnotherProcess(): void
    {
        $handle = self::permit(self::locks(), 1)->detach();
        $said = PhpProcess::run(
            '$lease = (new RedLock\LockManager($args["servers"]))->attach($args["handle"]);
            report([$lease->resource, $lease->confirm(), $lease->release()]);',
            ['servers' => self::$fleet->specs(3), 'handle' => $handle],
        );
        self::assertSame(['r:redlock:slot:0', true, true], $said);
        self::permit(self::locks(), 1);
    }

    public function testTheOldClassReleasesAPermitByItsHandle(): void
    {
        $handle = self::permit(self::locks(), 1)->detach();
        self::assertTrue((new \RedLock(self::$fleet->specs(3)))->unlock($handle));
        self::permit(self::locks(), 1);
    }

    public function testAPermitIsNotSharedWithOthers(): void
    {
        $permit = self::permit(self::locks(), 1);
        try {
            $permit->demote();
            self::fail('a permit was demoted');
        } catch (\RedLock\LeaseModeException $error) {
            self::assertSame("RedLock\\Lease::demote(): the lease on 'r:redlock:slot:0' is a permit, and cannot be shared", $error->getMessage());
        }
        self::assertTrue($permit->confirm());
    }

    public function testWhoNamesMoreOfThemKnowsMoreSlots(): void
    {
        $first = self::permit(self::locks(), 1);
        self::assertNull(self::locks()->acquirePermit('r', 1));
        $second = self::permit(self::locks(), 2);
        self::assertSame(['r:redlock:slot:0', 'r:redlock:slot:1'], [$first->resource, $second->resource]);
    }

    public function testTheLockOnTheResourceItselfIsAnother(): void
    {
        $permit = self::permit(self::locks(), 1);
        self::assertTrue(self::leased(self::locks())->release());
        self::assertTrue($permit->confirm());
    }

    public function testTheMostThatThereMayBe(): void
    {
        self::assertMatchesRegularExpression('/^r:redlock:slot:\d+$/', self::permit(self::locks(), 1024)->resource);
    }

    /** @group real */
    public function testAWaiterGetsTheFirstThatIsGivenBack(): void
    {
        foreach (['r:redlock:slot:0', 'r:redlock:slot:1'] as $freed) {
            $held = [self::permit(self::locks(), 2), self::permit(self::locks(), 2)];
            $waiter = $this->holder();
            self::awaitInLine(1);
            $began = Wait::now();
            foreach ($held as $lease) {
                if ($lease->resource === $freed) {
                    $lease->release();
                }
            }
            self::assertSame($freed, PhpProcess::report($waiter));
            self::assertLessThan(0.5, Wait::now() - $began);
            $waiter->writeLine("");
            self::assertSame('released', PhpProcess::report($waiter));
            array_map(static fn (Lease $lease): bool => $lease->release(), $held);
        }
        self::awaitInLine(0);
    }

    /** @group real */
    public function testSeveralThatAreGivenBackTogetherFindAWaiterEach(): void
    {
        $held = [self::permit(self::locks(), 2), self::permit(self::locks(), 2)];
        $waiters = [$this->holder(), $this->holder()];
        self::awaitInLine(2);
        $began = Wait::now();
        array_map(static fn (Lease $lease): bool => $lease->release(), $held);
        $names = array_map(PhpProcess::report(...), $waiters);
        self::assertLessThan(0.5, Wait::now() - $began);
        sort($names);
        self::assertSame(['r:redlock:slot:0', 'r:redlock:slot:1'], $names);
    }

    /** @group real */
    public function testAWaiterInFrontThatStandsStillHoldsUpNobody(): void
    {
        $held = [self::permit(self::locks(), 2), self::permit(self::locks(), 2)];
        $first = $this->holder();
        self::awaitInLine(1);
        $second = $this->holder();
        self::awaitInLine(2);
        $first->signal(SIGSTOP);
        try {
            $began = Wait::now();
            $held[0]->release();
            self::assertSame($held[0]->resource, PhpProcess::report($second));
            self::assertLessThan(2.0, Wait::now() - $began);
        } finally {
            $first->signal(SIGCONT);
        }
        $held[1]->release();
        self::assertSame($held[1]->resource, PhpProcess::report($first));
    }

    /** @group real */
    public function testThePermitOfAHolderThatWasKilledComesBackWithItsTtl(): void
    {
        $kept = self::permit(self::locks(), 2, 60_000);
        $holder = $this->holder(3, 1_500);
        $name = PhpProcess::report($holder);
        self::assertNull(self::locks()->acquirePermit('r', 2));
        $holder->kill();
        $began = Wait::now();
        $lease = self::locks()->acquirePermit('r', 2, 10_000, 20_000);
        self::assertSame($name, $lease?->resource);
        self::assertLessThan(3.0, Wait::now() - $began);
        self::assertTrue($kept->confirm());
    }

    /** @group real */
    public function testAWaitThatEndsInVainLeavesTheLine(): void
    {
        $held = self::permit(self::locks(), 1);
        self::assertNull(self::locks()->acquirePermit('r', 1, 10_000, 150));
        self::awaitInLine(0);
        self::assertTrue($held->confirm());
    }

    public function testWhoPollsGetsOneToo(): void
    {
        $held = self::permit(self::locks(), 1, 400);
        self::assertNotNull(self::locks(3, ['line' => false])->acquirePermit('r', 1, 10_000, 5_000));
        self::assertFalse($held->isLive());
    }

    /**
     * @dataProvider hammers
     * @group real
     */
    public function testNoMoreAreEverInside(int $servers, int $permits, int $wait): void
    {
        $this->hammer(self::$fleet, $servers, $permits, $wait, static fn () => null);
    }

    /** @return iterable<string, array{int, int, int}> */
    public static function hammers(): iterable
    {
        foreach ([1, 3, 5] as $servers) {
            yield "$servers servers, two permits, waiting" => [$servers, 2, 1_000];
            yield "$servers servers, three permits, trying" => [$servers, 3, 0];
        }
    }

    /** @group real */
    public function testNoMoreAreInsideWhileOneOfThreeServersStandsStillAndThenIsKilled(): void
    {
        $fleet = new Fleet(3);
        $this->hammer($fleet, 3, 2, 1_000, static function () use ($fleet): void {
            $fleet->standStill(1, 1.0)->wait();
            $fleet->servers[1]->kill9();
        }, 4);
        $fleet->end();
    }

    private function hammer(Fleet $fleet, int $servers, int $permits, int $wait, \Closure $meanwhile, int $seconds = 2): void
    {
        $counter = new Fleet(1);
        $args = [
            'servers' => $fleet->specs($servers), 'permits' => $permits, 'wait' => $wait, 'seconds' => $seconds,
            'counter' => 'tcp://' . $counter->servers[0]->name(),
        ];
        $clients = [];
        for ($i = 0; $i < 6; ++$i) {
            $clients[] = $this->php(self::HAMMER, $args);
        }
        $meanwhile();
        $all = $most = 0;
        foreach ($clients as $client) {
            [$rounds, $seen] = PhpProcess::report($client);
            $all += $rounds;
            $most = max($most, $seen);
        }
        $counter->end();
        self::assertLessThanOrEqual($permits, $most);
        self::assertSame($permits, $most, 'all permits are used');
        self::assertGreaterThan(20, $all);
    }

    /** @dataProvider badArguments */
    public function testWhatCannotBeMeantIsRefused(string $message, array $arguments): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage($message);
        self::locks()->acquirePermit(...$arguments);
    }

    /** @return iterable<string, array{string, array<mixed>}> */
    public static function badArguments(): iterable
    {
        $permits = 'RedLock\LockManager::acquirePermit(): Argument #2 ($permits) must be between 1 and 1024';
        yield 'none' => [$permits, ['r', 0]];
        yield 'fewer' => [$permits, ['r', -1]];
        yield 'too many' => [$permits, ['r', 1025]];
        yield 'no ttl' => ['acquirePermit(): Argument #3 ($ttl) must be', ['r', 1, 0]];
        yield 'no wait' => ['acquirePermit(): Argument #4 ($wait) must be greater than or equal to 0', ['r', 1, 1000, -1]];
        yield 'a fence' => ['fence is for locks without permits only', ['r', 1, 1000, 0, ['fence' => true]]];
        yield 'reentrant' => ['reentrant is for locks without permits only', ['r', 1, 1000, 0, ['reentrant' => true]]];
        yield 'an unknown option' => ['Argument #5 ($options)', ['r', 1, 1000, 0, ['nonsense' => true]]];
        yield 'a long name' => ['Argument #1 ($resource) must be at most 65518 bytes long to have permits', [str_repeat('r', 65_519), 1]];
    }
}
