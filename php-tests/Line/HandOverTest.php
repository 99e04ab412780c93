<?php

/** Whose turn it is: the lock is handed to the first in line who is still there, by whatever gives it back. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock;
use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\Tests\Support\LineTestCase;

final class HandOverTest extends LineTestCase
{
    /** @dataProvider fleetSizes */
    public function testItIsHandedOverInTheOrderOfArrival(int $servers): void
    {
        $lease = self::holding(self::$fleet->specs($servers, 2.0));
        $plan = ['servers' => self::$fleet->specs($servers, 2.0)];
        $waiters = array_map(fn (int $place): ChildProcess => $this->waiterInLine($place, $plan), range(1, 4));
        $free = Wait::now();
        $lease->release();
        foreach ($waiters as $place => $waiter) {
            $report = self::assertGot($waiter, "waiter $place");
            self::assertSame(1, $report['handedOver']);
            self::assertLessThan(self::AT_ONCE, $report['at'] - $free);
            foreach (array_slice($waiters, $place + 1) as $other) {
                self::assertNull($other->pollLine(), 'it is not the turn of anybody else');
            }
            $free = Wait::now();
            self::giveBack($waiter);
        }
        self::assertNothingIsLeft();
    }

    /** @dataProvider waysOfGivingBack */
    public function testWhateverGivesItBackHandsItOn(\Closure $take, \Closure $giveBack): void
    {
        $held = $take();
        $waiter = $this->waiterInLine();
        $free = Wait::now();
        $giveBack($held);
        unset($held);
        $report = self::assertGot($waiter);
        self::assertLessThan(self::AT_ONCE, $report['at'] - $free);
        self::assertSame(1, $report['handedOver']);
        self::giveBack($waiter);
        self::assertNothingIsLeft();
    }

    /** @return iterable<string, array{\Closure, \Closure}> */
    public static function waysOfGivingBack(): iterable
    {
        $lease = static fn (): Lease => self::holding();
        $handle = static fn (): array => self::holding()->detach();
        yield 'release()' => [$lease, static fn (Lease $lease) => $lease->release()];
        yield 'the end of the object' => [$lease, static fn (Lease $lease) => $lease->__destruct()];
        yield 'RedLock::unlock()' => [$handle, static fn (array $handle) => self::redLock()->unlock($handle)];
        yield 'forceRelease()' => [$handle, static fn () => self::locks()->forceRelease('r')];
    }

    private static function redLock(): RedLock
    {
        return new RedLock(self::$fleet->specs(3, 2.0), 0, 1);
    }

    public function testAHolderThatWaitedNoLongerThanItsPlainAttemptHandsItOnToo(): void
    {
        $first = $this->waiter(['connects' => true]);
        self::assertSame(0, self::assertGot($first)['handedOver'], 'nobody handed it over');
        $second = $this->waiterInLine();
        self::giveBack($first);
        self::assertGot($second);
    }

    /** @dataProvider places */
    public function testAKilledWaiterCostsNobodyAnything(int $place): void
    {
        $lease = self::holding();
        $waiters = array_map(fn (int $place): ChildProcess => $this->waiterInLine($place), range(1, 3));
        $waiters[$place]->kill();
        self::awaitSubscribers(2);
        unset($waiters[$place]);
        $free = Wait::now();
        $lease->release();
        foreach ($waiters as $waiter) {
            self::assertLessThan(self::AT_ONCE, self::assertGot($waiter)['at'] - $free);
            $free = Wait::now();
            self::giveBack($waiter);
        }
        self::assertNothingIsLeft();
    }

    /** @return iterable<string, array{int}> */
    public static function places(): iterable
    {
        yield 'the first in line' => [0];
        yield 'one in the middle' => [1];
        yield 'the last one' => [2];
    }

    public function testAKilledHolderCostsTheRestOfItsTtl(): void
    {
        $holder = $this->waiter(['ttl' => 2_000, 'connects' => true]);
        $taken = self::assertGot($holder)['at'];
        $first = $this->waiterInLine(1);
        $second = $this->waiterInLine(2);
        $holder->kill();
        $waited = self::assertGot($first)['at'] - $taken;
        self::assertGreaterThan(1.9, $waited);
        self::assertLessThan(2.0 + self::AT_ONCE, $waited);
        self::assertNull($second->pollLine());
        $free = Wait::now();
        self::giveBack($first);
        self::assertLessThan(self::AT_ONCE, self::assertGot($second)['at'] - $free);
    }

    /** With one TTL for all. Those behind know their places as these were when they joined: far back. */
    public function testAHolderAndTheFirstInLineThatDieTogetherCostTheRestOfTheTtl(): void
    {
        $lease = self::leased(self::locks(), 'r', 1_000, ['keepAlive' => true]);
        $plan = ['ttl' => 1_000];
        $this->php('
            for ($i = 0; $i < 36; ++$i) {
                if (pcntl_fork() === 0) {
                    (new RedLock\LockManager($args["servers"]))->acquire("r", 1000, 30000)?->release();
                    exit;
                }
            }
            while (pcntl_wait($status) > 0);
        ', ['servers' => self::$fleet->specs(3, 2.0)]);
        self::awaitLine(36);
        $holder = $this->waiterInLine(37, $plan);
        $first = $this->waiterInLine(38, $plan);
        $next = $this->waiterInLine(39, $plan);
        $last = $this->waiterInLine(40, $plan);
        $lease->release();
        $taken = self::assertGot($holder)['at'];
        $holder->kill();
        $first->kill();
        $waited = self::assertGot($next)['at'] - $taken;
        self::assertGreaterThan(0.9, $waited);
        self::assertLessThan(1.0 + 2 * self::AT_ONCE, $waited);
        self::giveBack($next);
        self::assertGot($last);
    }

    public function testWhoStoodStillWhenItWasHisTurnHasNotGotItWhenHeGoesOn(): void
    {
        $lease = self::holding();
        $first = $this->waiterInLine(1, ['ttl' => 1_000]);
        $second = $this->waiterInLine(2);
        $first->signal(SIGSTOP);
        $lease->release();
        self::assertGot($second, 'the second, once the time of the first is over');
        $first->signal(SIGCONT);
        self::awaitLine(1);
        self::assertNull($first->pollLine());
        self::giveBack($second);
        self::assertGot($first, 'the first, in his turn');
        self::giveBack($first);
        self::assertNothingIsLeft();
    }

    public function testALeaseThatWasHandedOverIsTrustedForNoLongerThanItsKeysLive(): void
    {
        $lease = self::holding();
        $waiter = $this->php('
            $locks = new RedLock\LockManager($args["servers"]);
            $lease = $locks->acquire("r", 3000, 60000);
            report([$lease->remaining(), $lease->token, $lease->confirm()]);
            fgets(STDIN);
        ', ['servers' => self::$fleet->specs(3, 2.0)]);
        self::awaitLine(1);
        // So that the command behind which it is handed over is not new.
        usleep(700_000);
        $lease->release();
        [$remaining, $token, $confirmed] = PhpProcess::report($waiter);
        $left = self::$fleet->each(static fn ($client): int => $client->call('PTTL', 'r'), 3);
        self::assertTrue($confirmed);
        self::assertSame([$token, $token, $token], self::$fleet->values('r', 3));
        self::assertGreaterThan(1_400.0, $remaining, 'at least half of it');
        sort($left);
        self::assertGreaterThan($remaining, $left[1] + 500, 'what a majority has');
    }

    public function testAnotherAcquireOfTheSameProcessHearsOnTheSameConnections(): void
    {
        $lease = self::holding();
        $process = $this->php('
            $locks = new RedLock\LockManager($args["servers"]);
            for ($i = 0; $i < 3; ++$i) {
                report([$locks->acquire("r", 30000, 60000)->release(), $locks->stats()["handedOver"], $locks->stats()["listeners"]]);
                fgets(STDIN);
            }
        ', ['servers' => self::$fleet->specs(3, 2.0)]);
        for ($i = 1; $i <= 3; ++$i) {
            self::awaitLine(1);
            $lease->release();
            self::assertSame([true, $i, 3], PhpProcess::report($process));
            $lease = self::holding();
            self::awaitSubscribers(1);
            $process->writeLine('');
        }
    }
}
