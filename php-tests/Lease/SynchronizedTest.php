<?php

/** synchronized(): wait, call, give back. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\Lease;
use RedLock\NotAcquiredException;
use RedLock\Tests\Support\LeaseTestCase;

final class SynchronizedTest extends LeaseTestCase
{
    public function testItGivesTheResultOfTheCallAndTheLockBack(): void
    {
        $result = self::locks()->synchronized('r', static function (Lease $lease): array {
            $lease->assertLive();
            return [$lease->resource, self::votes($lease) >= 2];
        });
        self::assertSame(['r', true], $result);
        self::assertReleased();
    }

    public function testAnIntResourceAndACallThatReturnsNothing(): void
    {
        self::assertNull(self::locks()->synchronized(42, static function (Lease $lease): void {
            self::assertSame(42, $lease->resource);
        }));
    }

    public function testAResultByReferenceIsAValue(): void
    {
        $array = [1];
        $result = self::locks()->synchronized('r', static function &() use (&$array): array {
            return $array;
        });
        $result[] = 2;
        self::assertSame([1], $array);
    }

    public function testACallThatKeepsTheLeaseHasNothingOfIt(): void
    {
        $kept = self::locks()->synchronized('r', static fn (Lease $lease): Lease => $lease);
        self::assertFalse($kept->isLive());
        self::assertReleased();
    }

    public function testWhatTheCallThrowsIsThrownAndTheLockGivenBack(): void
    {
        $thrown = new \DomainException('mine');
        $caught = self::caught(\DomainException::class, static fn () => self::locks()->synchronized('r', static fn () => throw $thrown));
        self::assertSame($thrown, $caught);
        self::assertNull($caught->getPrevious());
        self::assertReleased();
    }

    public function testAReleaseThatFailsHidesNothing(): void
    {
        $fleet = $this->fleet(1);
        $locks = new \RedLock\LockManager($fleet->specs());
        $result = $locks->synchronized('r', static function () use ($fleet): string {
            $fleet->servers[0]->kill9();
            return 'mine';
        });
        self::assertSame('mine', $result);
        $fleet->servers[0]->restart();
        $caught = self::caught(\DomainException::class, static fn () => $locks->synchronized('r', static function () use ($fleet): void {
            $fleet->servers[0]->kill9();
            throw new \DomainException('mine');
        }));
        self::assertNull($caught->getPrevious());
    }

    public function testWhereTheWaitIsOverNothingIsCalled(): void
    {
        $held = self::leased(self::locks());
        $call = static fn () => self::locks()->synchronized('r', static fn () => self::fail('it was called'), 1000, 100);
        $error = self::caught(NotAcquiredException::class, $call);
        self::assertInstanceOf(\RedLock\Exception::class, $error);
        self::assertSame(
            'RedLock\LockManager::synchronized(): another client has the lock on \'r\', after 100 ms of waiting',
            $error->getMessage(),
        );
        self::assertTrue($held->isLive());
    }

    public function testItWaitsForEverUnlessTold(): void
    {
        self::held(new \RedLock(self::$fleet->specs(3), 0, 1), 'r', 500);
        self::assertSame(7, self::locks()->synchronized('r', static fn (): int => 7));
    }

    public function testItKeepsTheLeaseAlive(): void
    {
        $live = self::locks()->synchronized('r', static function (Lease $lease): bool {
            usleep(1_500_000);
            return $lease->isLive();
        }, 300);
        self::assertTrue($live);
        self::assertReleased();
    }

    public function testUnlessToldOtherwise(): void
    {
        $live = self::locks()->synchronized('r', static function (Lease $lease): bool {
            usleep(400_000);
            return $lease->isLive();
        }, 300, null, ['keepAlive' => false]);
        self::assertFalse($live);
    }

    public function testExitInTheCallGivesTheLockBack(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"]);
            $locks->synchronized("r", static function ($lease) { report($lease->isLive()); exit; }, 60000, 0, ["atEnd" => "keep"]);
        ';
        self::assertTrue(PhpProcess::run($code, ['servers' => self::$fleet->specs(3)]));
        self::assertReleased();
    }

    /** @group real */
    public function testTwoProcessesAreNeverInsideAtOnce(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"], ["retryDelay" => 5, "timeout" => 1]);
            $counter = new RedLock\Harness\RespClient("tcp://$args[counter]");
            $most = 0;
            for ($i = 0; $i < 50; ++$i) {
                $locks->synchronized("r", static function () use ($counter, &$most) {
                    $most = max($most, $counter->call("INCR", "inside"));
                    $counter->call("DECR", "inside");
                });
            }
            report($most);
        ';
        $args = ['servers' => self::$fleet->specs(3), 'counter' => self::$fleet->servers[4]->name()];
        $workers = array_map(fn () => $this->php($code, $args), range(1, 4));
        foreach ($workers as $worker) {
            self::assertSame(1, PhpProcess::report($worker));
        }
    }
}
