<?php

/** Trouble while taking the timestamp lock: typed exceptions in time, and nothing overwritten or left behind. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use PidLock;
use RedLock\ConnectionException;
use RedLock\Harness\FreePort;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\PidLockTestCase;

final class TroubleTest extends PidLockTestCase
{
    /**
     * @dataProvider valuesThatAreNoTimestamps
     * @group real
     */
    public function testAValueThatIsNoTimestampIsAnExceptionAndStays(string $value): void
    {
        self::$redis->call('SET', 'lock_pid:p', $value);
        $thrown = self::caught(\RedLock\Exception::class, static fn () => self::pidLock()->getPidLock('p', 10));
        self::assertStringContainsString(self::$server->name(), $thrown->getMessage());
        self::assertSame($value, self::stamp());
        self::assertSame(-1, self::$redis->call('PTTL', 'lock_pid:p'));
    }

    /** @return iterable<string, array{string}> */
    public static function valuesThatAreNoTimestamps(): iterable
    {
        yield 'a word' => ['locked'];
        yield 'nothing' => [''];
        yield 'a number with a word behind' => ['1500000000000 ms'];
        yield 'a number with a line break behind' => ["1500000000000\n"];
        yield 'a hexadecimal number' => ['0x15D3EF79800'];
        yield 'NaN' => ['nan'];
        yield 'infinity' => ['inf'];
        yield 'two points' => ['1.2.3'];
        yield 'JSON' => ['{"expires":1500000000000}'];
        yield 'binary' => ["\0\xff"];
        yield 'a token of RedLock' => ['kX9v2Zq1Yc8w3Rt5uB7nMg'];
    }

    /**
     * @dataProvider otherTypes
     * @group real
     */
    public function testAKeyOfAnotherTypeIsAnExceptionAndStays(array $command, string $type): void
    {
        self::$redis->call(...$command);
        $thrown = self::caught(\RedLock\Exception::class, static fn () => self::pidLock()->getPidLock('p', 10));
        self::assertStringContainsString(self::$server->name(), $thrown->getMessage());
        self::assertSame($type, self::$redis->call('TYPE', 'lock_pid:p'));
    }

    /** @return iterable<string, array{list<string>, string}> */
    public static function otherTypes(): iterable
    {
        yield 'a list' => [['RPUSH', 'lock_pid:p', '1500000000000'], 'list'];
        yield 'a hash' => [['HSET', 'lock_pid:p', 'f', '1'], 'hash'];
        yield 'a set' => [['SADD', 'lock_pid:p', '1'], 'set'];
        yield 'a sorted set' => [['ZADD', 'lock_pid:p', '1', 'm'], 'zset'];
        yield 'a stream' => [['XADD', 'lock_pid:p', '*', 'f', 'v'], 'stream'];
    }

    public function testARefusedConnectionIsAConnectionExceptionThatNamesTheServer(): void
    {
        $port = FreePort::find();
        $thrown = self::caught(
            ConnectionException::class,
            static fn () => (new PidLock("127.0.0.1:$port"))->getPidLock('p', 10),
        );
        self::assertStringContainsString("127.0.0.1:$port", $thrown->getMessage());
    }

    public function testAnUnknownHostIsAConnectionExceptionThatNamesIt(): void
    {
        $pidLock = new PidLock(['redlock.invalid', 6379, 0.1]);
        $thrown = self::caught(ConnectionException::class, static fn () => $pidLock->getPidLock('p', 10));
        self::assertStringContainsString('redlock.invalid', $thrown->getMessage());
    }

    public function testAStoppedServerIsAConnectionExceptionInTimeAndLeavesNoGhost(): void
    {
        $server = $this->server();
        $server->stop();
        $pidLock = new PidLock(['127.0.0.1', $server->port, 0.1]);
        $start = Wait::now();
        self::caught(ConnectionException::class, static fn () => $pidLock->getPidLock('p', 60, 0.01, 2));
        self::assertLessThan(4.0, Wait::now() - $start, 'the budget is 0.32 s');
        $server->cont();
        $client = $server->client();
        $client->call('PING');
        Wait::until(static fn (): bool => $client->call('DBSIZE') === 0, 'the ghost to vanish');
        self::assertSame(0, $client->call('DBSIZE'));
    }

    public function testWithoutATimeoutAServerHas50Milliseconds(): void
    {
        $server = $this->server();
        $server->stop();
        $took = self::secondsOf(static fn () => (new PidLock($server->name()))->getPidLock('p', 10));
        $server->cont();
        self::assertGreaterThan(0.049, $took);
        self::assertLessThan(0.5, $took);
    }

    /** @dataProvider manners */
    public function testAHostileServerIsAnExceptionInTime(string $manner): void
    {
        $hostile = $this->hostile($manner);
        $pidLock = new PidLock($hostile->spec(0.2));
        $start = Wait::now();
        $thrown = self::caught(\RedLock\Exception::class, static fn () => $pidLock->getPidLock('p', 10));
        self::assertStringContainsString($hostile->name(), $thrown->getMessage());
        self::assertLessThan(2.0, Wait::now() - $start);
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertFalse($pidLock->holdsPidLock('p'));
    }

    /** @return iterable<string, array{string}> */
    public static function manners(): iterable
    {
        $manners = [
            'html', 'huge bulk', 'absurd bulk', 'nested arrays', 'wide array', 'endless error', 'drip', 'silence',
            'hang up', 'wrong types', 'nil', 'huge integer', 'binary noise',
        ];
        foreach ($manners as $manner) {
            yield $manner => [$manner];
        }
    }

    public function testRefusalsCarryTheServersWords(): void
    {
        $server = $this->server(['requirepass' => 'open-sesame']);
        $thrown = self::caught(
            ConnectionException::class,
            static fn () => (new PidLock(['127.0.0.1', $server->port, 0.5]))->getPidLock('p', 10),
        );
        self::assertStringContainsString('NOAUTH', $thrown->getMessage());
    }

    public function testAWrongPasswordIsRefusedWithoutBeingShown(): void
    {
        $server = $this->server(['requirepass' => 'open-sesame']);
        $pidLock = new PidLock(['host' => '127.0.0.1', 'port' => $server->port, 'auth' => 'tell-nobody-42']);
        $thrown = self::caught(ConnectionException::class, static fn () => $pidLock->getPidLock('p', 10));
        self::assertStringContainsString('WRONGPASS', $thrown->getMessage());
        self::assertStringNotContainsString('tell-nobody-42', (string) $thrown . print_r($pidLock, true));
    }

    public function testOomIsAnException(): void
    {
        $server = $this->server();
        $server->client()->call('CONFIG', 'SET', 'maxmemory', '1');
        $thrown = self::caught(
            ConnectionException::class,
            static fn () => (new PidLock($server->name(), ['timeout' => 1]))->getPidLock('p', 10),
        );
        self::assertStringContainsString('OOM', $thrown->getMessage());
        self::assertSame(0, $server->client()->call('DBSIZE'));
    }

    public function testAReadonlyReplicaIsAnException(): void
    {
        $master = $this->server();
        $replica = $this->server(['replicaof' => "127.0.0.1 $master->port"]);
        $linked = static fn () => str_contains($replica->client()->call('INFO'), 'master_link_status:up');
        Wait::until($linked, 'the replica to follow its master', 30.0);
        $pidLock = new PidLock($replica->name(), ['timeout' => 1]);
        $thrown = self::caught(ConnectionException::class, static fn () => $pidLock->getPidLock('p', 10));
        self::assertStringContainsString('READONLY', $thrown->getMessage());
    }

    public function testADatabaseThatDoesNotExistWritesNothingToAnother(): void
    {
        $server = $this->server();
        $pidLock = new PidLock("redis://127.0.0.1:$server->port/4711");
        self::caught(ConnectionException::class, static fn () => $pidLock->getPidLock('p', 10));
        self::assertStringNotContainsString('keys=', $server->client()->call('INFO', 'keyspace'));
    }

    public function testTheSameObjectWorksAgainWhenTheServerIsBack(): void
    {
        $server = $this->server();
        $pidLock = new PidLock(['127.0.0.1', $server->port, 0.2]);
        self::assertSame(1, $pidLock->getPidLock('p', 10));
        $server->kill9();
        self::caught(ConnectionException::class, static fn () => $pidLock->getPidLock('q', 10));
        $server->restart();
        $again = static function () use ($pidLock): int {
            try {
                return $pidLock->getPidLock('q', 10);
            } catch (ConnectionException) {
                return 0;
            }
        };
        self::assertSame(1, Wait::until($again, 'a lock from the restarted server'));
    }

    public function testHoldsIsAConnectionExceptionWhenTheServerCannotBeAsked(): void
    {
        $server = $this->server();
        $pidLock = new PidLock(['127.0.0.1', $server->port, 0.2]);
        $pidLock->getPidLock('p', 10);
        $server->kill9();
        self::caught(ConnectionException::class, static fn () => $pidLock->holdsPidLock('p'));
    }

    public function testTheLatestCallsTroubleIsToldByName(): void
    {
        $server = $this->server();
        $pidLock = new PidLock(['127.0.0.1', $server->port, 0.2]);
        self::assertSame([], $pidLock->lastErrors());
        $pidLock->getPidLock('p', 10);
        $server->kill9();
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertSame([$server->name()], array_keys($pidLock->lastErrors()));
        self::assertNotSame('', $pidLock->lastErrors()[$server->name()]);
        self::assertTrue($pidLock->releasePidLock('nothing to release'));
        self::assertSame([], $pidLock->lastErrors());
    }

    /** @group real */
    public function testThatSomebodyElseHoldsTheLockIsNoTrouble(): void
    {
        $pidLock = self::pidLock();
        self::$redis->call('SET', 'lock_pid:p', self::serverMs() + 60_000);
        self::assertSame(0, $pidLock->getPidLock('p', 10));
        self::assertSame([], $pidLock->lastErrors());
    }

    public function testALockWhoseReleaseNobodyConfirmedIsNotTrustedAnyMore(): void
    {
        $server = $this->server();
        $pidLock = new PidLock(['127.0.0.1', $server->port, 0.2]);
        self::assertSame(1, $pidLock->getPidLock('p', 60));
        $server->stop();
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertSame(0.0, $pidLock->remainingPidLock('p'));
        self::assertFalse($pidLock->holdsPidLock('p'), 'the removal may still arrive');
        $server->cont();
        self::assertTrue($pidLock->releasePidLock('p'));
        Wait::until(static fn () => $server->client()->call('DBSIZE') === 0, 'the key to be removed');
    }

    public function testASwallowedAnswerLeavesNoKeyBehind(): void
    {
        $server = $this->server();
        $proxy = $this->proxy($server);
        $proxy->dropReplies();
        $pidLock = new PidLock($proxy->spec(0.1));
        self::caught(ConnectionException::class, static fn () => $pidLock->getPidLock('p', 60));
        Wait::until(static fn () => $server->client()->call('DBSIZE') === 0, 'the undo of the lost attempt');
        self::assertGreaterThan(0, $server->calls('eval') + $server->calls('evalsha'), 'it had arrived');
    }

    public function testAnAnswerThatComesAfterTheLeaseIsNoLock(): void
    {
        $server = $this->server();
        $proxy = $this->proxy($server);
        $proxy->delay(150);
        $pidLock = new PidLock($proxy->spec(5.0));
        $name = '127.0.0.1:' . $proxy->spec(5.0)[1];
        self::assertSame(0, $pidLock->getPidLock('p', 0.2, 0, 0, 30));
        self::assertSame([$name], array_keys($pidLock->lastErrors()));
        self::assertStringContainsString('lock_timeout was over', $pidLock->lastErrors()[$name]);
        $proxy->pass();
        Wait::until(static fn () => $server->client()->call('DBSIZE') === 0, 'the undo of the late lock');
        self::assertFalse($pidLock->holdsPidLock('p'));
    }
}
