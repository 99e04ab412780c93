<?php

/** Servers that die, forget, stand still or are short of memory while somebody waits. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Fleet;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\Tests\Support\LineTestCase;

final class OutagesTest extends LineTestCase
{
    /** @param array<string, mixed> $plan */
    private function waiterAt(Fleet $fleet, int $place, array $plan = []): ChildProcess
    {
        $waiter = $this->waiter($plan + ['servers' => $fleet->specs(3, 0.3)]);
        self::awaitLine($place, 3, $fleet);
        return $waiter;
    }

    public function testWithOneServerDownItIsHandedOverByTheOthers(): void
    {
        $fleet = $this->fleet(3);
        $fleet->servers[2]->kill9();
        $lease = self::leased(new LockManager($fleet->specs(3, 0.3)), 'r', 60_000);
        $waiter = $this->waiter(['servers' => $fleet->specs(3, 0.3)]);
        self::awaitLine(1, 2, $fleet);
        $free = Wait::now();
        $lease->release();
        self::assertLessThan(self::AT_ONCE, self::assertGot($waiter)['at'] - $free);
    }

    public function testWithOneServerStandingStillItIsHandedOverByTheOthers(): void
    {
        $fleet = $this->fleet(3);
        $lease = self::holding($fleet->specs(3, 0.3));
        $waiter = $this->waiterAt($fleet, 1);
        $fleet->servers[0]->stop();
        $free = Wait::now();
        $lease->release();
        self::assertLessThan(2 * self::AT_ONCE, self::assertGot($waiter)['at'] - $free);
        $fleet->servers[0]->cont();
        self::giveBack($waiter);
        unset($waiter);
        self::assertNothingIsLeft($fleet);
    }

    public function testAWaitOutlivesAnOutageOfTwoServers(): void
    {
        $fleet = $this->fleet(3);
        $lease = self::holding($fleet->specs(3, 0.3));
        $waiter = $this->waiterAt($fleet, 1);
        $fleet->servers[0]->kill9();
        $fleet->servers[1]->kill9();
        self::awaitRefusals($fleet, $waiter);
        // They stay away for as long as the lock may live, as the manual says.
        $lease->release();
        $fleet->servers[0]->restart();
        $fleet->servers[1]->restart();
        self::assertGot($waiter);
        self::giveBack($waiter);
        self::assertNothingIsLeft($fleet);
    }

    public function testAServerThatForgotItsLineIsStoodInAgain(): void
    {
        $fleet = $this->fleet(3);
        $lease = self::holding($fleet->specs(3, 0.3));
        $waiter = $this->waiterAt($fleet, 1);
        $fleet->servers[1]->restart();
        Wait::until(static fn (): bool => self::lines(3, $fleet) === [1, 1, 1]
            || $fleet->values('r', 2)[1] !== null, 'the server that forgot to be asked again');
        self::assertNull($waiter->pollLine(), 'one vote is no lock');
        $lease->release();
        self::assertGot($waiter);
        self::giveBack($waiter);
        self::assertNothingIsLeft($fleet);
    }

    /** @dataProvider silences */
    public function testAWaitEndsInTimeThoughServersAreSilent(int $silent): void
    {
        $fleet = $this->fleet(3);
        $lease = self::holding($fleet->specs(3, 0.3));
        $waiter = $this->waiter(['servers' => $fleet->specs(3, 0.3), 'wait' => 2_500], 'report(hrtime(true) / 1e9);');
        $began = PhpProcess::report($waiter);
        self::awaitLine(1, 3, $fleet);
        foreach (array_slice($fleet->servers, 0, $silent) as $server) {
            $server->stop();
        }
        $report = PhpProcess::report($waiter);
        self::assertFalse($report['got']);
        self::assertGreaterThan(2.4, $report['at'] - $began);
        self::assertLessThan(2.5 + 0.3 + self::AT_ONCE, $report['at'] - $began);
        if ($silent > 1) {
            self::assertStringStartsWith('RedLock\\QuorumException', (string) $report['thrown']);
        }
        array_map(static fn (RedisServer $server) => $server->cont(), $fleet->servers);
        $waiter->writeLine('');
        $waiter->wait();
        $lease->release();
        self::assertNothingIsLeft($fleet);
    }

    /** @return iterable<string, array{int}> */
    public static function silences(): iterable
    {
        yield 'one of three' => [1];
        yield 'two of three' => [2];
        yield 'all' => [3];
    }

    private static function limitMemory(Fleet $fleet, string $bytes): void
    {
        $fleet->each(static fn ($client) => $client->call('CONFIG', 'SET', 'maxmemory', $bytes));
    }

    public function testServersWithoutMemoryHandOnWhatIsGivenBack(): void
    {
        $fleet = $this->fleet(3);
        $lease = self::holding($fleet->specs(3, 0.3));
        $waiter = $this->waiterAt($fleet, 1);
        self::limitMemory($fleet, '1');
        self::assertTrue($lease->release());
        self::assertGot($waiter);
        self::giveBack($waiter);
        self::assertNothingIsLeft($fleet);
    }

    public function testServersWithoutMemoryGrantNothingAnewAndTheWaitGoesOn(): void
    {
        $fleet = $this->fleet(3);
        $lease = self::holding($fleet->specs(3, 0.3), 'r', 1_000);
        $waiter = $this->waiterAt($fleet, 1);
        self::limitMemory($fleet, '1');
        Wait::until(static fn (): bool => $fleet->values('r') === [null, null, null], 'the lock to be over');
        $refused = static fn (): bool => str_contains($fleet->servers[0]->client()->call('INFO', 'errorstats'), 'errorstat_OOM');
        Wait::until($refused, 'a refusal');
        self::assertNull($waiter->pollLine());
        self::limitMemory($fleet, '0');
        self::assertGot($waiter);
        self::giveBack($waiter);
        self::assertNothingIsLeft($fleet);
    }

    public function testWhoCannotStandInLineForWantOfMemoryIsToldSo(): void
    {
        $fleet = $this->fleet(3);
        self::limitMemory($fleet, '1');
        $report = PhpProcess::report($this->waiter(['servers' => $fleet->specs(3, 0.3), 'wait' => 500]));
        self::assertStringStartsWith('RedLock\\QuorumException', (string) $report['thrown']);
        self::assertStringContainsString('OOM', implode($report['errors']));
    }

    public function testScriptsThatWereFlushedAreSentAgain(): void
    {
        $lease = self::holding();
        $waiter = $this->waiterInLine();
        self::$fleet->each(static fn ($client) => $client->call('SCRIPT', 'FLUSH'));
        $lease->release();
        self::assertGot($waiter);
        $second = $this->waiterInLine();
        self::$fleet->each(static fn ($client) => $client->call('SCRIPT', 'FLUSH'));
        self::giveBack($waiter);
        self::assertGot($second);
        self::giveBack($second);
        self::assertNothingIsLeft();
    }

    /** A majority refuses connections, and the waiter knows it. */
    private static function awaitRefusals(Fleet $fleet, ChildProcess $waiter): void
    {
        // What it says to the third server goes on, every second at least.
        $joins = static fn (): int => $fleet->servers[2]->calls('zadd');
        $before = $joins();
        Wait::until(static fn (): bool => $joins() >= $before + 2, 'the waiter to go on asking');
        self::assertNull($waiter->pollLine());
    }
}
