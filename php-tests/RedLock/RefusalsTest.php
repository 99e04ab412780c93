<?php

/** Servers that answer with an error: a vote against with the server's own words, never "free", never "released". */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\RedisServer;
use RedLock\Harness\RespError;
use RedLock\Harness\Wait;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class RefusalsTest extends ServerTestCase
{
    private const CONFUSING_PASSWORD = 'hunter2-secret';

    /** The call must fail with these words, and the server must stay empty. */
    private static function assertRefused(string $word, RedisServer $server, array|string $spec): \Throwable
    {
        $redLock = new RedLock([$spec], 5, 2);
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        self::assertStringContainsString($server->name(), $thrown->getMessage());
        self::assertStringContainsString($word, $thrown->getMessage());
        self::assertStringContainsString($word, $redLock->lastErrors()[$server->name()]);
        return $thrown;
    }

    private static function spec(RedisServer $server): array
    {
        return ['host' => '127.0.0.1', 'port' => $server->port, 'timeout' => 0.5];
    }

    public function testOom(): void
    {
        $server = $this->server();
        $server->client()->call('CONFIG', 'SET', 'maxmemory', '1');
        self::assertRefused('OOM', $server, self::spec($server));
        self::assertSame(0, $server->client()->call('DBSIZE'));
    }

    public function testUnlockStillWorksWhenMemoryHasRunOut(): void
    {
        $server = $this->server();
        $redLock = new RedLock([self::spec($server)], 0, 1);
        $lock = self::held($redLock, 'r');
        $server->client()->call('CONFIG', 'SET', 'maxmemory', '1');
        self::assertTrue($redLock->unlock($lock));
    }

    public function testReadonly(): void
    {
        $master = $this->server();
        $replica = $this->server(['replicaof' => "127.0.0.1 $master->port"]);
        $linked = static fn () => str_contains($replica->client()->call('INFO'), 'master_link_status:up');
        Wait::until($linked, 'the replica to follow its master', 30.0);
        self::assertRefused('READONLY', $replica, self::spec($replica));
        self::assertSame(0, $replica->client()->call('DBSIZE'));
    }

    public function testLoading(): void
    {
        $slowly = ['key-load-delay' => 200, 'loading-process-events-interval-bytes' => 1024];
        $server = $this->server($slowly);
        $fill = "for i = 1, 20000 do redis.call('SET', 'filler:' .. i, string.rep('x', 50)) end";
        $server->client()->call('EVAL', $fill, 0);
        $server->client()->call('SAVE');
        $server->restart();
        self::assertRefused('LOADING', $server, self::spec($server));
        self::assertTrue(self::isLoading($server), 'the server must still have been loading');
    }

    private static function isLoading(RedisServer $server): bool
    {
        try {
            $server->client()->call('GET', 'r');
            return false;
        } catch (RespError $error) {
            return str_starts_with($error->getMessage(), 'LOADING');
        }
    }

    public function testNoauth(): void
    {
        $server = $this->server(['requirepass' => self::CONFUSING_PASSWORD]);
        self::assertRefused('NOAUTH', $server, self::spec($server));
        self::assertSame(0, $server->client()->call('DBSIZE'));
    }

    public function testWrongpassNamesTheServerButNotThePassword(): void
    {
        $server = $this->server(['requirepass' => 'the-right-one']);
        $spec = self::spec($server) + ['auth' => self::CONFUSING_PASSWORD];
        $thrown = self::assertRefused('WRONGPASS', $server, $spec);
        self::assertStringNotContainsString(self::CONFUSING_PASSWORD, (string) $thrown);
    }

    public function testWrongpassOfAUrlNamesTheServerButNotThePassword(): void
    {
        $server = $this->server(['requirepass' => 'the-right-one']);
        $url = "redis://:" . self::CONFUSING_PASSWORD . "@127.0.0.1:$server->port?timeout=0.5";
        $thrown = self::assertRefused('WRONGPASS', $server, $url);
        self::assertStringNotContainsString(self::CONFUSING_PASSWORD, (string) $thrown);
    }

    public function testAPasswordForAServerThatHasNone(): void
    {
        $server = $this->server();
        $redLock = new RedLock([self::spec($server) + ['auth' => self::CONFUSING_PASSWORD]], 0, 1);
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 1000));
        self::assertStringContainsString($server->name(), $thrown->getMessage());
        self::assertSame(0, $server->client()->call('DBSIZE'), 'nothing may be written after a failed AUTH');
    }

    public function testADatabaseThatDoesNotExistWritesNothingToAnother(): void
    {
        $server = $this->server();
        self::assertRefused('DB index', $server, self::spec($server) + ['database' => 4711]);
        self::assertStringNotContainsString('keys=', $server->client()->call('INFO', 'keyspace'));
    }

    public function testAUserWithoutThePermission(): void
    {
        $server = $this->server([], ['user default on nopass ~* &* +@all', 'user reader on >secret ~* +get']);
        $redLock = new RedLock([self::spec($server) + ['auth' => ['reader', 'secret']]], 0, 1);
        self::caught(QuorumException::class, static fn () => $redLock->lock('r', 1000));
        self::assertStringContainsString('NOPERM', $redLock->lastErrors()[$server->name()]);
    }

    public function testTooManyClients(): void
    {
        $server = $this->server(['maxclients' => 4]);
        $others = [$server->client(), $server->client(), $server->client(), $server->client()];
        $redLock = new RedLock([self::spec($server)], 0, 1);
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 1000));
        self::assertStringContainsString($server->name(), $thrown->getMessage());
        unset($others);
        $again = static function () use ($redLock): bool {
            try {
                return $redLock->lock('r', 1000) !== false;
            } catch (QuorumException) {
                return false;
            }
        };
        self::assertTrue(Wait::until($again, 'room for us'));
    }

    public function testAPasswordChangedUnderWayIsNoticedOnTheNextConnection(): void
    {
        $server = $this->server(['requirepass' => 'first']);
        $redLock = new RedLock([self::spec($server) + ['auth' => 'first']], 0, 1);
        self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
        $admin = $server->client();
        $admin->call('CONFIG', 'SET', 'requirepass', 'second');
        $admin->call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        self::caught(QuorumException::class, static fn () => $redLock->lock('r', 1000));
        $admin->call('CONFIG', 'SET', 'requirepass', 'first');
        $again = static function () use ($redLock): bool {
            try {
                return $redLock->lock('r', 1000) !== false;
            } catch (QuorumException) {
                return false;
            }
        };
        self::assertTrue(Wait::until($again, 'the old password to hold again'));
    }

    public function testOneRefusingServerOfThreeIsAVoteAgainstOnly(): void
    {
        $fleet = $this->fleet(3);
        $fleet->servers[0]->client()->call('CONFIG', 'SET', 'maxmemory', '1');
        $redLock = new RedLock($fleet->specs(), 0, 1);
        $lock = self::held($redLock, 'r');
        self::assertTrue($redLock->unlock($lock));
        self::assertNull($fleet->values('r')[0]);
    }

    /** @group real */
    public function testTwoRefusingServersOfThreeAreNotAFreeLock(): void
    {
        $fleet = $this->fleet(3);
        foreach ([0, 1] as $index) {
            $fleet->servers[$index]->client()->call('CONFIG', 'SET', 'maxmemory', '1');
        }
        $redLock = new RedLock($fleet->specs(), 5, 2);
        self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the key of the granting server to be undone');
        foreach ([0, 1] as $index) {
            self::assertStringContainsString('OOM', $redLock->lastErrors()[$fleet->servers[$index]->name()]);
        }
    }
}
