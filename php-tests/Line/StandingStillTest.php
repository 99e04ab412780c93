<?php

/** Locks that are given up while servers stand still, by a process that never calls again: nobody waits for them. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\Fleet;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\Tests\Support\LineTestCase;

final class StandingStillTest extends LineTestCase
{
    private const STILL = '
        $still = static function (int $signal) use ($args): void {
            foreach ($args["pids"] as $pid) {
                posix_kill($pid, $signal);
            }
        };
        // A slow machine may not connect in so short a time.
        $patiently = static function (Closure $take): ?RedLock\Lease {
            for (;;) {
                try {
                    return $take();
                } catch (RedLock\QuorumException) {
                }
            }
        };
    ';

    /** @dataProvider fleets */
    public function testAWaitThatEndsInVainKeepsNobodyWaiting(int $servers, int $wait): void
    {
        $fleet = $this->fleet($servers);
        $daemon = $this->php(self::STILL . '
            $locks = new RedLock\LockManager($args["servers"]);
            $held = $patiently(fn () => $locks->acquire("r", 30000));
            // Who has waited lately stands in line at once.
            $patiently(fn () => $locks->acquire("r", 30000, 200));
            $held->release();
            $still(SIGSTOP);
            try {
                $none = $locks->acquire("r", 30000, $args["wait"]);
                report("no exception");
            } catch (RedLock\QuorumException $exception) {
                report($exception->getMessage());
            }
            usleep(100000);
            $still(SIGCONT);
            report("goes on");
            fgets(STDIN);
        ', ['servers' => $fleet->specs($servers, 0.05), 'pids' => self::pids($fleet), 'wait' => $wait]);
        self::assertStringContainsString('no answer', PhpProcess::report($daemon));
        self::assertSame('goes on', PhpProcess::report($daemon));
        $locks = new LockManager($fleet->specs($servers, 2.0));
        $began = Wait::now();
        self::assertNotNull($locks->acquire('r', 30_000, 20_000));
        self::assertLessThan(3.0, Wait::now() - $began);
        self::assertTrue($daemon->isRunning());
    }

    /** @return iterable<string, array{int, int}> */
    public static function fleets(): iterable
    {
        foreach ([1, 3] as $servers) {
            foreach ([60, 100, 200, 500] as $wait) {
                yield "$servers, a wait of $wait ms" => [$servers, $wait];
            }
        }
    }

    /** @dataProvider amounts */
    public function testLeasesThatGoOutOfScopeAreGivenBack(int $count, float $timeout): void
    {
        $fleet = $this->fleet(3);
        $daemon = $this->php(self::STILL . '
            $locks = new RedLock\LockManager($args["servers"]);
            $leases = [];
            for ($i = 0; $i < $args["count"]; ++$i) {
                $leases[] = $patiently(fn () => $locks->acquire("r$i", 60000));
            }
            $still(SIGSTOP);
            $leases = $lease = null;
            report("all gone");
            usleep(150000);
            $still(SIGCONT);
            report("goes on");
            fgets(STDIN);
        ', ['servers' => $fleet->specs(3, $timeout), 'pids' => self::pids($fleet), 'count' => $count]);
        self::assertSame('all gone', PhpProcess::report($daemon));
        self::assertSame('goes on', PhpProcess::report($daemon));
        self::assertTrue(Wait::until(static fn (): bool => array_sum($fleet->each(static fn ($client): int => $client->call('DBSIZE'))) === 0, 'all locks to be given back'));
        self::assertTrue($daemon->isRunning());
    }

    /** @return iterable<string, array{int, float}> */
    public static function amounts(): iterable
    {
        foreach ([4, 30, 300] as $count) {
            yield "$count" => [$count, 0.05];
        }
    }

    /**
     * They go one after the other, and connections are given up in between.
     *
     * @dataProvider gaps
     * @param list<int> $gaps in ms
     */
    public function testLeasesThatGoOneAfterTheOtherAreGivenBack(int $servers, array $gaps): void
    {
        $fleet = $this->fleet($servers);
        $daemon = $this->php(self::STILL . '
            $locks = new RedLock\LockManager($args["servers"]);
            $leases = [];
            foreach ($args["gaps"] as $i => $gap) {
                $leases[] = $locks->acquire("r$i", 600000);
            }
            $lease = null;
            $still(SIGSTOP);
            foreach ($args["gaps"] as $gap) {
                array_shift($leases);
                usleep(1000 * $gap);
            }
            $still(SIGCONT);
            report("goes on");
            fgets(STDIN);
        ', ['servers' => $fleet->specs($servers, 0.15), 'pids' => self::pids($fleet), 'gaps' => $gaps]);
        self::assertSame('goes on', PhpProcess::report($daemon));
        self::assertTrue(Wait::until(static fn (): bool => array_sum($fleet->each(static fn ($client): int => $client->call('DBSIZE'))) === 0, 'all locks to be given back'));
        self::assertTrue($daemon->isRunning());
    }

    /** @return iterable<string, array{int, list<int>}> */
    public static function gaps(): iterable
    {
        foreach ([1, 3] as $servers) {
            yield "$servers, gaps past a timeout" => [$servers, [180, 180, 180, 180, 180]];
            yield "$servers, past two" => [$servers, [0, 360, 9, 360, 9, 360]];
            yield "$servers, from short to long" => [$servers, [0, 9, 30, 90, 180, 360, 600, 180, 9]];
        }
    }

    /** @return list<int> */
    private static function pids(Fleet $fleet): array
    {
        return array_map(static fn ($server): int => $server->pid(), $fleet->servers);
    }
}
