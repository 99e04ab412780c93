<?php

/** The guard: servers that are not what locks need have no vote, and every reason says so. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use PHPUnit\Framework\TestCase;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;
use RedLock\QuorumException;

/** @group real */
final class GuardTest extends TestCase
{
    /** @var list<RedisServer> */
    private array $servers = [];

    protected function tearDown(): void
    {
        foreach ($this->servers as $server) {
            $server->kill9();
        }
    }

    /** @param array<string, string|int> $options */
    private function server(array $options = [], array $users = []): RedisServer
    {
        return $this->servers[] = RedisServer::start($options, $users);
    }

    /** @param list<RedisServer> $servers @param array<string, mixed> $options */
    private static function locks(array $servers, array $options = []): LockManager
    {
        $specs = array_map(static fn (RedisServer $server): array => $server->spec(2.0), $servers);
        return new LockManager($specs, $options + ['guard' => true, 'longestTtl' => 500, 'retryDelay' => 20]);
    }

    private static function uptime(RedisServer $server): int
    {
        preg_match('/uptime_in_seconds:(\d+)/', $server->client()->call('INFO', 'server'), $found);
        return (int) $found[1];
    }

    /** Old enough for locks of half a second, whatever the second it began in. @param list<RedisServer> $servers */
    private static function grownUp(array $servers): void
    {
        foreach ($servers as $server) {
            Wait::until(static fn (): bool => self::uptime($server) >= 2, 'a server to be two seconds old', 5.0);
        }
    }

    public function testWithoutTheOptionAYoungServerVotes(): void
    {
        $locks = self::locks([$this->server()], ['guard' => false]);
        self::assertInstanceOf(Lease::class, $locks->acquire('r', 400));
        self::assertSame([], $locks->lastErrors());
    }

    public function testAServerThatBeganLatelyHasNoVoteAndSaysHowLong(): void
    {
        $server = $this->server();
        $locks = self::locks([$server], ['longestTtl' => 60_000]);
        try {
            $lease = $locks->acquire('r', 400);
            self::fail('a server that has just begun gave a lock');
        } catch (QuorumException $thrown) {
            $reason = '~guard: restarted \d+ s ago, locks may last 60 s: it has no vote for \d+ s more~';
            self::assertMatchesRegularExpression($reason, $thrown->getMessage());
            self::assertSame([$server->name() => 'guard'], $thrown->faults());
        }
        self::assertMatchesRegularExpression('~guard: restarted~', implode("\n", $locks->lastErrors()));
        self::assertNull($server->client()->call('GET', 'r'));
    }

    public function testItVotesOnceItIsOldEnough(): void
    {
        $server = $this->server();
        $locks = self::locks([$server]);
        self::assertTrue(Wait::until(static fn (): bool => self::takes($locks), 'the server to have a vote', 8.0));
        self::assertGreaterThanOrEqual(1, self::uptime($server));
    }

    public function testAWaitLastsUntilItIsOldEnough(): void
    {
        $locks = self::locks([$this->server()]);
        $began = microtime(true);
        self::assertInstanceOf(Lease::class, $locks->acquire('r', 400, 10_000));
        self::assertLessThan(8.0, microtime(true) - $began);
    }

    public function testARestartedMajorityThatForgotGivesTheLockToNobodyElse(): void
    {
        $servers = [$this->server(), $this->server(), $this->server()];
        self::grownUp($servers);
        $held = self::locks($servers)->acquire('r', 500);
        self::assertInstanceOf(Lease::class, $held);
        $servers[0]->restart();
        $servers[1]->restart();
        try {
            $second = self::locks($servers)->acquire('r', 500);
            self::fail('two have the lock');
        } catch (QuorumException $thrown) {
            self::assertStringContainsString('guard: restarted', $thrown->getMessage());
        }
        $without = self::locks($servers, ['guard' => false])->acquire('r', 500);
        self::assertInstanceOf(Lease::class, $without, 'who has no guard is given what they forgot');
    }

    public function testAReleaseIsDeliveredToAServerWithoutAVote(): void
    {
        $servers = [$this->server(), $this->server(), $this->server()];
        self::grownUp($servers);
        $locks = self::locks($servers, ['guard' => ['eviction']]);
        $lease = $locks->acquire('r', 60_000);
        self::assertInstanceOf(Lease::class, $lease);
        foreach ($servers as $server) {
            $server->client()->call('CONFIG', 'SET', 'maxmemory', '100mb');
            $server->client()->call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
            $server->client()->call('CLIENT', 'KILL', 'TYPE', 'normal');
        }
        // The first word on a connection that is closed tells of that.
        $objects = static function () use ($lease): bool {
            try {
                return !$lease->extend();
            } catch (QuorumException $thrown) {
                return str_contains($thrown->getMessage(), 'guard: it may delete locks');
            }
        };
        self::assertTrue(Wait::until($objects, 'an extend without votes', 5.0));
        self::assertTrue($lease->release());
        // It waits for two of them; what the third one's connection has not taken yet goes with the next call.
        $gone = static function () use ($locks, $servers): bool {
            $locks->inspect('other');
            return array_filter($servers, static fn (RedisServer $server): bool => $server->client()->call('GET', 'r') !== null) === [];
        };
        self::assertTrue(Wait::until($gone, 'the lock to be removed everywhere', 5.0));
    }

    public function testEvictionIsARefusalUntilItIsMended(): void
    {
        $server = $this->server(['maxmemory' => '100mb', 'maxmemory-policy' => 'allkeys-lru']);
        $locks = self::locks([$server], ['guard' => ['eviction']]);
        self::assertRefused($locks, '~guard: it may delete locks when its memory is full \(maxmemory-policy allkeys-lru\)~');
        $server->client()->call('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
        self::assertTrue(Wait::until(static fn (): bool => self::takes($locks), 'the server to be looked at again', 5.0));
    }

    public function testAPolicyWithoutABoundOfMemoryIsNoRefusal(): void
    {
        $locks = self::locks([$this->server(['maxmemory-policy' => 'allkeys-lru'])], ['guard' => ['eviction']]);
        self::assertInstanceOf(Lease::class, $locks->acquire('r', 400));
    }

    public function testAReplicaHasNoVote(): void
    {
        $master = $this->server();
        $replica = $this->server(['replicaof' => "127.0.0.1 $master->port", 'replica-read-only' => 'no']);
        self::assertRefused(self::locks([$replica], ['guard' => ['role']]), '~guard: it is a replica~');
        self::assertInstanceOf(Lease::class, self::locks([$master], ['guard' => ['role']])->acquire('r', 400));
    }

    public function testOneServerOfTwoNamesHasOneVote(): void
    {
        $server = $this->server();
        $locks = new LockManager(
            ["127.0.0.1:$server->port", $server->unixPath()],
            ['guard' => ['identity'], 'timeout' => 2.0],
        );
        try {
            $lease = $locks->acquire('r', 400);
            self::fail('one server gave two votes');
        } catch (QuorumException $thrown) {
            $both = '~guard: it is the same server as (127\.0\.0\.1:\d+|unix://\S+) \(run_id [0-9a-f]{40}\)~';
            self::assertMatchesRegularExpression($both, $thrown->getMessage());
            self::assertStringContainsString("127.0.0.1:$server->port", $thrown->getMessage());
            self::assertStringContainsString($server->unixPath(), $thrown->getMessage());
        }
        self::assertNull($server->client()->call('GET', 'r'));
    }

    public function testTwoManagersMayNameAServerDifferently(): void
    {
        $server = $this->server();
        foreach (["127.0.0.1:$server->port", $server->unixPath()] as $name) {
            $lease = (new LockManager([$name], ['guard' => ['identity'], 'timeout' => 2.0]))->acquire('r', 400);
            self::assertInstanceOf(Lease::class, $lease);
            $lease->release();
        }
    }

    public function testAServerThatRefusesInfoHasNoVote(): void
    {
        $server = $this->server([], ['user default on nopass ~* &* +@all -info']);
        self::assertRefused(self::locks([$server]), '~guard: INFO was refused: NOPERM~');
    }

    public function testACallAsksNothing(): void
    {
        $server = $this->server();
        $locks = self::locks([$server], ['guard' => ['role', 'eviction', 'identity']]);
        self::assertInstanceOf(Lease::class, $locks->acquire('first', 400));
        $server->client()->call('CONFIG', 'RESETSTAT');
        for ($i = 0; $i < 10; ++$i) {
            $locks->acquire("r$i", 400)?->release();
        }
        self::assertSame(0, $server->calls('info'));
    }

    public function testInALineTheGuardAsksNothingMore(): void
    {
        $servers = [$this->server(), $this->server(), $this->server()];
        self::grownUp($servers);
        $held = self::locks($servers)->acquire('r', 400);
        self::assertInstanceOf(Lease::class, $held);
        self::assertInstanceOf(Lease::class, self::locks($servers)->acquire('r', 400, 5_000));
    }

    public function testALockThatLastsLongerThanThatIsRefused(): void
    {
        $locks = self::locks([$this->server()], ['longestTtl' => 1_000]);
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage(
            "RedLock\LockManager::acquire(): Argument #2 (\$ttl) must be at most longestTtl, 1000 ms, with the guard 'restart'",
        );
        $lease = $locks->acquire('r', 1_001);
    }

    /** @dataProvider badGuards */
    public function testWhatIsNoGuardIsRefused(mixed $guard, string $class, string $message): void
    {
        $this->expectException($class);
        $this->expectExceptionMessage($message);
        new LockManager(['127.0.0.1'], ['guard' => $guard]);
    }

    public static function badGuards(): iterable
    {
        $method = 'RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: guard';
        yield 'an unknown part' => [['role', 'reboot'], \ValueError::class, "$method must have parts among 'restart'"];
        yield 'a number' => [1, \TypeError::class, "$method must be of type bool or an array of its parts, int given"];
        yield 'a part that is none' => [[1], \TypeError::class, "$method must be of type string, int given"];
    }

    public function testThereIsALongestTtl(): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage('longestTtl must be greater than 0');
        new LockManager(['127.0.0.1'], ['longestTtl' => 0]);
    }

    private static function takes(LockManager $locks): bool
    {
        try {
            $lease = $locks->acquire('r', 400);
            return $lease !== null && $lease->release();
        } catch (QuorumException) {
            return false;
        }
    }

    private static function assertRefused(LockManager $locks, string $reason): void
    {
        try {
            $lease = $locks->acquire('r', 400);
            self::fail('the server gave a lock');
        } catch (QuorumException $thrown) {
            self::assertMatchesRegularExpression($reason, $thrown->getMessage());
        }
    }
}
