<?php

/** Servers that run no scripts could not take a lock back, so they give none; and it is said why. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use PidLock;
use RedLock;
use RedLock\ConnectionException;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class ScriptsRefusedTest extends ServerTestCase
{
    private const PASSWORD = 'pw12345678';

    /** @var list<array{string, array<string, mixed>}> */
    private array $told = [];

    /** @return list<RedisServer> with a user who has all rights but those */
    private function servers(string $rights = '', int $count = 3): array
    {
        $users = ['user default on nopass ~* &* +@all', 'user locks on >' . self::PASSWORD . " ~* &* +@all $rights"];
        return array_map(fn (): RedisServer => $this->server([], $users), range(1, $count));
    }

    private static function let(RedisServer $server, string ...$rights): void
    {
        $server->client()->call('ACL', 'SETUSER', 'locks', ...$rights);
    }

    /** @return array<string, mixed> */
    private static function spec(RedisServer $server): array
    {
        return ['host' => '127.0.0.1', 'port' => $server->port, 'timeout' => 2.0, 'auth' => ['locks', self::PASSWORD]];
    }

    /**
     * @param list<RedisServer> $servers
     * @param array<string, mixed> $options
     */
    private function locks(array $servers, array $options = []): LockManager
    {
        return new LockManager(array_map(self::spec(...), $servers), $options + [
            'retryDelay' => 20,
            'onEvent' => function (string $event, array $facts): void {
                $this->told[] = [$event, $facts];
            },
        ]);
    }

    /** @param list<RedisServer> $servers */
    private static function assertRefused(array $servers, callable $take): void
    {
        $thrown = self::caught(QuorumException::class, $take);
        $names = array_map(static fn (RedisServer $server): string => $server->name(), $servers);
        self::assertSame($names, array_keys($thrown->faults()), $thrown->getMessage());
        // Two of three are waited for, and decide it.
        self::assertContains('scripts', $thrown->faults());
        self::assertSame([], array_diff($thrown->faults(), ['scripts', 'unanswered']), $thrown->getMessage());
        self::assertStringContainsString('+eval +evalsha', $thrown->getMessage());
    }

    /** @param list<RedisServer> $servers */
    private static function keysOn(array $servers): int
    {
        return array_sum(array_map(static fn (RedisServer $server): int => $server->client()->call('DBSIZE'), $servers));
    }

    /** @dataProvider rights */
    public function testNoLockIsGivenThatCouldNotBeGivenBack(string $rights): void
    {
        $servers = $this->servers($rights);
        $locks = $this->locks($servers);
        self::assertRefused($servers, static fn () => $locks->acquire('r', 60_000));
        self::assertRefused($servers, static fn () => $locks->acquire('r', 60_000, 50));
        $redLock = new RedLock(array_map(self::spec(...), $servers), 0, 3);
        self::assertRefused($servers, static fn () => $redLock->lock('r', 60_000));
        self::assertSame(0, self::keysOn($servers));
    }

    /** @return iterable<string, array{string}> */
    public static function rights(): iterable
    {
        yield 'no category' => ['-@scripting'];
        yield 'neither of the two' => ['-eval -evalsha'];
        yield 'no EVAL' => ['-eval'];
    }

    public function testNorByServersOnWhichTheCommandsHaveOtherNames(): void
    {
        $servers = [$this->server(['rename-command' => 'EVAL  --rename-command EVALSHA '])];
        self::assertRefused($servers, static fn () => (new LockManager([$servers[0]->name()]))->acquire('r', 60_000));
        self::assertSame(0, self::keysOn($servers));
    }

    public function testWhereEvalshaAloneIsRefusedLocksAreHadAndGivenBack(): void
    {
        $servers = $this->servers('-evalsha');
        $locks = $this->locks($servers);
        for ($i = 0; $i < 3; ++$i) {
            $lease = $locks->acquire('r', 60_000);
            self::assertTrue($lease->extend());
            self::assertTrue($lease->release());
        }
        // The refusal of a server that answered last is found by the next call.
        $gone = static fn (): bool => $locks->inspect('another') !== [] && self::keysOn($servers) === 0;
        Wait::until($gone, 'the keys to be deleted');
    }

    public function testAMinorityVotesAgainstWithItsReason(): void
    {
        $servers = [...$this->servers('-@scripting', 1), ...$this->servers('', 2)];
        $locks = $this->locks($servers);
        // A call that two servers decide may end before the third has answered.
        Wait::until(static function () use ($locks, $servers): bool {
            $lease = $locks->acquire('r', 60_000);
            self::assertTrue($lease?->release() ?? true);
            $reason = $lease?->lastErrors()[$servers[0]->name()] ?? $locks->lastErrors()[$servers[0]->name()] ?? '';
            return str_contains($reason, '+eval +evalsha');
        }, 'the reason');
        Wait::until(static fn (): bool => self::keysOn($servers) === 0, 'the keys to be deleted');
    }

    public function testWhereTheRightGoesWhileALeaseIsHeldThatIsSaidAndNoSecondOneIsGiven(): void
    {
        $servers = $this->servers('', 1);
        $locks = $this->locks($servers);
        $lease = $locks->acquire('r', 60_000);
        self::let($servers[0], '-@scripting');
        self::assertFalse($lease->release());
        self::assertStringContainsString('+eval +evalsha', $lease->lastErrors()[$servers[0]->name()]);
        [$event, $facts] = array_pop($this->told);
        self::assertSame(['released', [$servers[0]->name() => 'scripts']], [$event, $facts['faults']]);
        self::assertRefused($servers, static fn () => $locks->acquire('another', 60_000));
        self::assertSame(['r'], $servers[0]->client()->call('KEYS', '*'));
        self::let($servers[0], '+@scripting');
        // What could not be given back then is given back now.
        $another = $locks->acquire('another', 60_000);
        self::assertNotNull($another);
        $gone = static fn (): bool => $another->confirm() && $servers[0]->client()->call('KEYS', '*') === ['another'];
        Wait::until($gone, 'the old key to go');
    }

    public function testAKeptLeaseThatIsLostForThatSaysSo(): void
    {
        $servers = $this->servers();
        $lease = $this->locks($servers)->acquire('r', 600, 0, ['keepAlive' => true]);
        foreach ($servers as $server) {
            self::let($server, '-@scripting');
        }
        Wait::until(static fn (): bool => !$lease->isLive(), 'the lease to be lost');
        [$event, $facts] = array_pop($this->told);
        self::assertSame('lost', $event);
        self::assertContains('scripts', $facts['faults'], json_encode($facts));
    }

    public function testAPidLockSaysTheSame(): void
    {
        $servers = $this->servers('-@scripting', 1);
        $lock = new PidLock(self::spec($servers[0]));
        $thrown = self::caught(ConnectionException::class, static fn () => $lock->getPidLock('r', 60));
        self::assertSame(['scripts'], array_values($thrown->faults()));
        self::assertStringContainsString('+eval +evalsha', $thrown->getMessage());
    }
}
