<?php

/** Why a call came to nothing, in words for people and in words for programs. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use PidLock;
use RedLock;
use RedLock\ConnectionException;
use RedLock\Harness\FreePort;
use RedLock\Harness\Wait;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class ReasonsTest extends ServerTestCase
{
    private const PASSWORD = 'tell-nobody-42';

    /** @param array<mixed>|string $server */
    private static function assertFault(string $word, string $name, array|string $server): void
    {
        $redLock = new RedLock([$server], 0, 1);
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        self::assertSame([$name => $word], $thrown->faults(), $thrown->getMessage());
        self::assertSame([$name], array_keys($redLock->lastErrors()));

        $pidLock = new PidLock($server);
        $thrown = self::caught(ConnectionException::class, static fn () => $pidLock->getPidLock('p', 60));
        self::assertSame([$name => $word], $thrown->faults(), $thrown->getMessage());
    }

    public function testAPortWhereNobodyListensIsRefused(): void
    {
        $port = FreePort::find();
        self::assertFault('refused', "127.0.0.1:$port", ['127.0.0.1', $port, 0.2]);
    }

    public function testAUnixSocketThatDoesNotExistIsUnreachable(): void
    {
        self::assertFault('unreachable', 'unix:///nowhere/redis.sock', '/nowhere/redis.sock');
    }

    public function testAStoppedServerIsATimeoutAlsoWhileItIsLeftAlone(): void
    {
        $server = $this->server();
        $server->stop();
        for ($i = 0; $i < 3; ++$i) {
            self::assertFault('timeout', $server->name(), "redis://127.0.0.1:$server->port?timeout=0.05");
        }
    }

    /** @dataProvider credentials */
    public function testAPasswordThatIsWrongOrMissingIsNotTakenForAnOutage(array $credentials): void
    {
        $server = $this->server(['requirepass' => self::PASSWORD]);
        self::assertFault('auth', $server->name(), ['127.0.0.1', $server->port, 0.5] + $credentials);
    }

    /** @return iterable<string, array{array<string, mixed>}> */
    public static function credentials(): iterable
    {
        yield 'a wrong password' => [['auth' => 'guessed']];
        yield 'an unknown user' => [['auth' => ['nobody', self::PASSWORD]]];
        yield 'none' => [[]];
    }

    public function testAPasswordForAServerThatWantsNoneIsAuth(): void
    {
        $server = $this->server();
        self::assertFault('auth', $server->name(), ['127.0.0.1', $server->port, 0.5, 'auth' => self::PASSWORD]);
    }

    /** @dataProvider narrowUsers */
    public function testWhatTheAclForbidsIsDeniedByAcl(string $rights): void
    {
        $server = $this->server([], ['user default off', 'user locker on >' . self::PASSWORD . " $rights"]);
        $spec = ['127.0.0.1', $server->port, 0.5, 'auth' => ['locker', self::PASSWORD]];
        self::assertFault('denied by ACL', $server->name(), $spec);
    }

    /** @return iterable<string, array{string}> */
    public static function narrowUsers(): iterable
    {
        yield 'a command' => ['~* -@all +auth +eval'];
        yield 'a key' => ['~nothing:* +@all'];
    }

    public function testAScriptThatTheAclStopsInsideIsDeniedByAcl(): void
    {
        $server = $this->server([], ['user default off', 'user locker on >' . self::PASSWORD . ' ~* -@all +set +eval']);
        $spec = ['127.0.0.1', $server->port, 0.5, 'auth' => ['locker', self::PASSWORD]];
        $redLock = new RedLock([$spec], 0, 1);
        $lock = self::held($redLock, 'r');
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->isHeld($lock));
        self::assertSame([$server->name() => 'denied by ACL'], $thrown->faults(), $thrown->getMessage());
    }

    /** @dataProvider unwilling */
    public function testAServerThatTakesNoWritesSaysWhy(string $word, array $orders): void
    {
        $server = $this->server();
        foreach ($orders as $order) {
            $server->client()->call(...$order);
        }
        self::assertFault($word, $server->name(), ['127.0.0.1', $server->port, 0.5]);
    }

    /** @return iterable<string, array{string, list<list<string|int>>}> */
    public static function unwilling(): iterable
    {
        yield 'a full one' => ['oom', [['CONFIG', 'SET', 'maxmemory', '1']]];
        yield 'a replica' => ['readonly', [['REPLICAOF', '127.0.0.1', '1']]];
        yield 'one without replicas' => ['noreplicas', [['CONFIG', 'SET', 'min-replicas-to-write', '1']]];
    }

    public function testAPeerThatIsNoRedisIsProtocol(): void
    {
        $hostile = $this->hostile('html');
        self::assertFault('protocol', $hostile->name(), $hostile->spec(0.5));
    }

    public function testAPeerThatHangsUpIsClosed(): void
    {
        $hostile = $this->hostile('hang up');
        self::assertFault('closed', $hostile->name(), $hostile->spec(0.5));
    }

    public function testEveryServerThatGaveNoVoteIsNamedAlsoOneThatHadNotAnsweredYet(): void
    {
        $refusing = [FreePort::find(), FreePort::find()];
        $silent = $this->hostile('silence');
        $servers = [['127.0.0.1', $refusing[0]], $silent->spec(30.0), ['127.0.0.1', $refusing[1]]];
        $redLock = new RedLock($servers, 0, 1);
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        self::assertStringContainsString($silent->name() . ': no answer yet', $thrown->getMessage());
        $words = [
            "127.0.0.1:$refusing[0]" => 'refused',
            $silent->name() => 'unanswered',
            "127.0.0.1:$refusing[1]" => 'refused',
        ];
        self::assertSame($words, $thrown->faults());
        self::assertSame(array_keys($words), array_keys($redLock->lastErrors()));
    }

    public function testAStoppedServerIsListedFromTheCallOnThatFindsItOverdue(): void
    {
        $fleet = $this->fleet(3);
        $redLock = new RedLock($fleet->specs(null, 0.3), 0, 1);
        $redLock->unlock(self::held($redLock, 'warm up'));
        $fleet->servers[2]->stop();
        self::held($redLock, 'first');
        self::assertSame([], $redLock->lastErrors(), 'two servers have answered, and the call waited for no third');
        $name = $fleet->servers[2]->name();
        $listed = static function () use ($redLock, $name): bool {
            self::held($redLock, uniqid('next', true));
            return array_keys($redLock->lastErrors()) === [$name];
        };
        self::assertTrue(Wait::until($listed, 'a call that finds the stopped server overdue'));
        self::assertStringContainsString('timed out after 300 ms, its timeout', $redLock->lastErrors()[$name]);
    }

    public function testALockThatSomebodyElseHoldsIsFalseWithoutARemark(): void
    {
        $fleet = $this->fleet(3);
        self::held(new RedLock($fleet->specs(), 0, 1), 'r', 60_000);
        Wait::until(static fn (): bool => $fleet->keyCount() === 3, 'the key on all servers');
        $redLock = new RedLock($fleet->specs(), 0, 1);
        self::assertFalse($redLock->lock('r', 1000));
        self::assertSame([], $redLock->lastErrors());
    }

    /** @group real */
    public function testALockThatNobodyWonSaysSo(): void
    {
        $fleet = $this->fleet(4);
        foreach ([0, 1] as $index) {
            $fleet->servers[$index]->client()->call('SET', 'r', 'somebody');
        }
        $redLock = new RedLock($fleet->specs(null, 5.0), 0, 1);
        self::assertFalse($redLock->lock('r', 1000));
        self::assertSame(['lock'], array_keys($redLock->lastErrors()));
        $remark = '/^no client won: [0-2] of 4 servers granted the last attempt, needs 3$/';
        self::assertMatchesRegularExpression($remark, $redLock->lastErrors()['lock'], 'as far as it was known then');
        self::held($redLock, 'free');
        self::assertSame([], $redLock->lastErrors(), 'it is about the latest call');
    }

    public function testALockThatWasWonTooLateSaysSo(): void
    {
        $proxy = $this->proxy($this->server());
        $proxy->delay(150);
        $redLock = new RedLock([$proxy->spec(5.0)], 0, 1);
        self::assertFalse($redLock->lock('r', 250));
        $remark = 'won, but the answers came too late for a ttl of 250 ms';
        self::assertSame(['lock' => $remark], $redLock->lastErrors());
    }

    /** @group real */
    public function testALockThatIsRefusedByAKeyWithoutAnExpirySaysThatItIsNoLock(): void
    {
        $fleet = $this->fleet(3);
        $fleet->servers[0]->client()->call('LPUSH', 'r', 'data');
        $fleet->servers[1]->client()->call('SET', 'r', 'data');
        $redLock = new RedLock($fleet->specs(null, 5.0), 1, 2);
        self::assertFalse($redLock->lock('r', 1000));
        $remark = 'the key has no expiry: it is no lock, and no client will release it';
        self::assertSame(['lock' => $remark], $redLock->lastErrors());
        $fleet->servers[1]->client()->call('PEXPIRE', 'r', '60000');
        self::assertFalse($redLock->lock('r', 1000));
        self::assertSame([], $redLock->lastErrors(), 'one server alone refuses nothing');
    }

    /** @group real */
    public function testALockThatIsTriedOnlyOnceIsNotLookedAt(): void
    {
        $fleet = $this->fleet(1);
        $fleet->servers[0]->client()->call('SET', 'r', 'data');
        $redLock = new RedLock($fleet->specs(null, 5.0), 0, 1);
        self::assertFalse($redLock->lock('r', 1000));
        self::assertSame([], $redLock->lastErrors());
        self::assertSame(0, $fleet->servers[0]->calls('pttl'));
    }

    public function testAnExtendThatCameTooLateSaysThatTheLockStands(): void
    {
        $proxy = $this->proxy($this->server());
        $redLock = new RedLock([$proxy->spec(5.0)], 0, 1);
        $lock = self::held($redLock, 'r', 60_000);
        $proxy->delay(150);
        self::assertFalse($redLock->extend($lock, 250));
        $remark = 'extended, but the answers came too late for a ttl of 250 ms; the lock is as valid as it was before';
        self::assertSame(['lock' => $remark], $redLock->lastErrors());
        self::assertTrue($redLock->isHeld($lock));
        self::assertSame([], $redLock->lastErrors());
        self::assertFalse($redLock->extend(['token' => 'forged'] + $lock, 1000));
        self::assertSame([], $redLock->lastErrors(), 'plainly not ours');
    }

    public function testExceptionsThatAnApplicationMakesHaveNoFaults(): void
    {
        self::assertSame([], (new QuorumException('mine', 7))->faults());
        self::assertSame([], (new ConnectionException('mine'))->faults());
        $child = new class () extends QuorumException {
            public function __construct()
            {
            }
        };
        self::assertSame([], $child->faults());
    }

    public function testFaultsAreReadThroughAReference(): void
    {
        $class = ConnectionException::class;
        $name = "\0$class\0faults";
        $faults = sprintf('s:%d:"%s";a:1:{s:1:"s";s:7:"timeout";}', strlen($name), $name);
        $exception = sprintf('O:%d:"%s":1:{%s}', strlen($class), $class, $faults);
        [$made] = unserialize("a:2:{i:0;{$exception}i:1;R:3;}");
        self::assertSame(['s' => 'timeout'], $made->faults());
    }
}
