<?php

/** Tests of waiting in line: processes that wait, and looks at the lines of the servers. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Fleet;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;

abstract class LineTestCase extends LeaseTestCase
{
    /** How long a hand-over may take here that takes two ways in the network; far below every timer. */
    protected const AT_ONCE = 0.5;
    /** The first in line asks so often, for old clients tell nobody; and what a slow machine takes. */
    protected const SOON = 2.5;

    /** Waits for the lock, tells what came of it, keeps it until it is told otherwise. */
    private const WAITER = '
        $locks = new RedLock\LockManager($args["servers"], $args["options"]);
        $lease = null;
        $thrown = null;
        if ($args["connects"]) {
            $locks->inspect($args["resource"]);
        }
        try {
            $lease = $locks->{$args["method"]}($args["resource"], $args["ttl"], $args["wait"]);
        } catch (Exception $exception) {
            $thrown = $exception::class . ": " . $exception->getMessage();
        }
        report([
            "got" => $lease !== null, "at" => hrtime(true) / 1e9, "thrown" => $thrown,
            "errors" => $locks->lastErrors(), "handedOver" => $locks->stats()["handedOver"],
        ]);
        fgets(STDIN);
        $lease?->release();
        report("released");
    ';

    /**
     * The lock, held by this process on each of the servers.
     *
     * A command that takes is not sent any more to whom it is connected to too late.
     *
     * @param ?list<mixed> $servers null: the first three
     */
    protected static function holding(?array $servers = null, string $resource = 'r', int $ttl = 60_000): Lease
    {
        $locks = new LockManager($servers ?? self::$fleet->specs(3, 2.0));
        $allHave = static fn (?string $token): bool => array_unique(array_column($locks->inspect($resource)['servers'], 'token')) === [$token];
        Wait::until(static fn (): bool => $allHave(null), "'$resource' to be free");
        $lease = self::leased($locks, $resource, $ttl);
        Wait::until(static fn (): bool => $allHave($lease->token), "'$resource' to be held");
        return $lease;
    }

    /**
     * Starts a process that waits for a lock.
     *
     * @param array<string, mixed> $plan what is not usual: 'resource', 'ttl', 'wait', 'servers', 'options', 'method';
     *     'connects' to all servers before, as holding() does
     * @param string $first what it does before
     */
    protected function waiter(array $plan = [], string $first = ''): ChildProcess
    {
        $plan += ['resource' => 'r', 'ttl' => 30_000, 'wait' => 60_000, 'servers' => self::$fleet->specs(3, 2.0), 'options' => []];
        $plan += ['connects' => false, 'method' => 'acquire'];
        return $this->php($first . self::WAITER, $plan);
    }

    /** The same, and returns when it stands in line as number `place`, from 1. @param array<string, mixed> $plan */
    protected function waiterInLine(int $place = 1, array $plan = [], string $first = ''): ChildProcess
    {
        $waiter = $this->waiter($plan, $first);
        self::awaitLine($place, count($plan['servers'] ?? [1, 2, 3]));
        return $waiter;
    }

    /** Waits until so many stand in the line of each of the first `servers`. */
    protected static function awaitLine(int $count, int $servers = 3, ?Fleet $fleet = null): void
    {
        self::awaitLines(array_fill(0, $servers, $count), $fleet);
    }

    /** Waits until so many stand in the line of each of the first servers. @param list<int> $counts */
    protected static function awaitLines(array $counts, ?Fleet $fleet = null): void
    {
        Wait::until(static fn (): bool => self::lines(count($counts), $fleet) === $counts, implode(', ', $counts) . ' to stand in line');
    }

    /** @return list<int> how many stand in the line of each server */
    protected static function lines(int $servers = 3, ?Fleet $fleet = null): array
    {
        return ($fleet ?? self::$fleet)->each(static fn (RespClient $c): int => $c->call('ZCARD', 'r:redlock:line'), $servers);
    }

    /** Waits until so many are subscribed at each of the first three servers. */
    protected static function awaitSubscribers(int $count, ?Fleet $fleet = null): void
    {
        $channels = static fn (RespClient $c): int => count($c->call('PUBSUB', 'CHANNELS', 'redlock:*'));
        $counts = static fn (): array => ($fleet ?? self::$fleet)->each($channels, 3);
        Wait::until(static fn (): bool => $counts() === [$count, $count, $count], "$count to be subscribed");
    }

    /** What a waiter said, which has the lock. @return array<string, mixed> */
    protected static function assertGot(ChildProcess $waiter, string $who = 'the waiter'): array
    {
        $report = PhpProcess::report($waiter);
        self::assertNull($report['thrown'], $who);
        self::assertTrue($report['got'], "$who has not got the lock");
        return $report;
    }

    protected static function giveBack(ChildProcess $waiter): void
    {
        $waiter->writeLine('');
        self::assertSame('released', PhpProcess::report($waiter));
    }

    /** Neither locks nor lines, nor anything without an end. */
    protected static function assertNothingIsLeft(?Fleet $fleet = null): void
    {
        $left = static fn (): array => array_merge(...($fleet ?? self::$fleet)->each(self::lasting(...)));
        try {
            Wait::until(static fn (): bool => $left() === [], 'the servers to be empty');
        } catch (\RuntimeException) {
        }
        self::assertSame([], $left());
    }

    /**
     * The keys but those of waiters that have only their version, and the latest grant of a server, whose
     * lock ran out before it was released: they expire by themselves.
     *
     * @return list<string>
     */
    private static function lasting(RespClient $client): array
    {
        $lasts = static function (string $key) use ($client): bool {
            $ends = str_ends_with($key, ':redlock:waiters') && $client->call('PTTL', $key) !== -1;
            return !$ends || array_diff($client->call('HKEYS', $key), ['', '!']) !== [];
        };
        return array_values(array_filter($client->call('KEYS', '*'), $lasts));
    }
}
