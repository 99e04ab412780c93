<?php

/** The connections on which a process listens for its turn: opened by a wait, shared, opened anew, closed. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\LineTestCase;

final class ConnectionsTest extends LineTestCase
{
    /** A request that waits in vain, and says on how many connections its thread listens. */
    private const REQUEST = '
        $locks = new RedLock\LockManager(json_decode($_GET["servers"]));
        $none = $locks->acquire("r", 1000, 300);
        echo $locks->stats()["listeners"];
    ';

    public function testAServerThatEndsThemIsListenedToAgain(): void
    {
        $lease = self::holding();
        $waiter = $this->waiterInLine();
        $channels = static fn (): array => self::$fleet->each(static fn (RespClient $c): array => $c->call('PUBSUB', 'CHANNELS', 'redlock:*'), 3);
        $before = $channels();
        self::$fleet->each(static fn (RespClient $c): int => $c->call('CLIENT', 'KILL', 'TYPE', 'pubsub'));
        $others = static fn (): bool => array_map('count', $channels()) === [1, 1, 1] && array_intersect(array_merge(...$channels()), array_merge(...$before)) === [];
        self::assertTrue(Wait::until($others, 'other names on new connections'));
        // Where the servers tell is known to them once it has asked there again.
        $entries = static fn (): string => implode(array_merge(...self::$fleet->each(static fn (RespClient $c): array => $c->call('HVALS', 'r:redlock:waiters'), 3)));
        $told = static fn (): bool => count(array_filter(array_merge(...$channels()), static fn (string $name): bool => str_contains($entries(), $name))) === 3;
        Wait::until($told, 'the servers to know the new names');
        $free = Wait::now();
        $lease->release();
        $report = self::assertGot($waiter);
        self::assertSame(1, $report['handedOver']);
        self::assertLessThan(self::AT_ONCE, $report['at'] - $free);
    }

    public function testNamesAreUnguessableAndNeverTheSame(): void
    {
        $lease = self::holding();
        $this->waiterInLine(1);
        $this->waiterInLine(2);
        $names = array_merge(...self::$fleet->each(static fn (RespClient $c): array => $c->call('PUBSUB', 'CHANNELS'), 3));
        self::assertCount(6, array_unique($names));
        foreach ($names as $name) {
            self::assertMatchesRegularExpression('/^redlock:[0-9a-f]{32}$/', $name);
        }
    }

    public function testWhatSomebodyElsePublishesThereIsNoLock(): void
    {
        $lease = self::holding();
        $waiter = $this->waiterInLine();
        foreach (self::$fleet->servers as $server) {
            $client = $server->client();
            foreach ($client->call('PUBSUB', 'CHANNELS', 'redlock:*') as $channel) {
                $token = $client->call('ZRANGE', 'r:redlock:line', 0, 0)[0];
                foreach (["granted 999999 $token", "granted x $token", 'granted 1 somebody', "next -2 $token", '', "\0\xff", str_repeat('x', 60_000)] as $word) {
                    $client->call('PUBLISH', $channel, $word);
                }
            }
        }
        self::awaitLine(1);
        self::assertNull($waiter->pollLine());
        $lease->release();
        self::assertGot($waiter);
    }

    /** @dataProvider requestEnds */
    public function testAfterTheRequestTheyStayOrAreClosedAsOtherConnections(array $settings, int $left): void
    {
        $lease = self::holding();
        $web = $this->web(self::REQUEST, $settings);
        $query = http_build_query(['servers' => json_encode(self::$fleet->specs(3, 2.0))]);
        self::assertSame('3', $web->get($query));
        self::awaitSubscribers($left);
        self::assertSame('3', $web->get($query), 'and in the next request it listens all the same');
        self::awaitSubscribers($left);
    }

    /** @return iterable<string, array{array<string, int>, int}> */
    public static function requestEnds(): iterable
    {
        yield 'persistent' => [[], 1];
        yield 'not persistent' => [['redlock.persistent' => 0], 0];
        yield 'without idle ones' => [['redlock.pool_idle_seconds' => 0], 0];
    }

    public function testThoseOnWhichNobodyListensAnyMoreAreClosed(): void
    {
        $lease = self::holding();
        $process = $this->php('
            $locks = new RedLock\LockManager($args["servers"]);
            $none = $locks->acquire("r", 1000, 300);
            report($locks->stats()["listeners"]);
            for ($end = hrtime(true) + 8e9; hrtime(true) < $end && $locks->stats()["listeners"] > 0; usleep(100000)) {
                $locks->inspect("other");
            }
            report($locks->stats()["listeners"]);
        ', ['servers' => self::$fleet->specs(3, 2.0)], ['redlock.pool_idle_seconds' => 1]);
        self::assertSame(3, PhpProcess::report($process));
        self::assertSame(0, PhpProcess::report($process));
        self::awaitSubscribers(0);
    }

    public function testItIsHandedOverInAnyDatabaseAndBehindAPassword(): void
    {
        $server = $this->server(['requirepass' => 'secret']);
        $url = "redis://:secret@127.0.0.1:$server->port/5?timeout=2";
        $lease = self::holding([$url]);
        $waiter = $this->waiter(['servers' => [$url]]);
        $client = $server->client();
        $client->call('SELECT', 5);
        Wait::until(static fn (): bool => $client->call('ZCARD', 'r:redlock:line') === 1, 'the waiter to stand in line');
        $lease->release();
        self::assertSame(1, self::assertGot($waiter)['handedOver']);
        self::giveBack($waiter);
        self::assertSame(0, $client->call('DBSIZE'));
    }
}
