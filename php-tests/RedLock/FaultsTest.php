<?php

/** Servers that are down, hang or refuse: one vote against each, and nothing left behind. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\Fleet;
use RedLock\Harness\FreePort;
use RedLock\Harness\Wait;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class FaultsTest extends ServerTestCase
{
    /** @dataProvider minorities */
    public function testLockAndUnlockWorkWithAMinorityDown(int $servers, int $down): void
    {
        $fleet = $this->fleet($servers);
        for ($i = 0; $i < $down; ++$i) {
            $fleet->servers[$i]->kill9();
        }
        $redLock = new RedLock($fleet->specs(), 0, 1);
        $lock = self::held($redLock, 'r');
        self::assertTrue($redLock->isHeld($lock));
        self::assertIsArray($redLock->extend($lock, 5000));
        self::assertTrue($redLock->unlock($lock));
    }

    /** @dataProvider minorities */
    public function testLockAndUnlockWorkWithAMinorityStopped(int $servers, int $stopped): void
    {
        $fleet = $this->fleet($servers);
        for ($i = 0; $i < $stopped; ++$i) {
            $fleet->servers[$i]->stop();
        }
        $redLock = new RedLock($fleet->specs(null, 30.0), 0, 1);
        $took = self::secondsOf(static function () use ($redLock): void {
            for ($i = 0; $i < 20; ++$i) {
                $lock = self::held($redLock, 'r');
                self::assertTrue($redLock->isHeld($lock));
                self::assertIsArray($redLock->extend($lock, 5000));
                self::assertTrue($redLock->unlock($lock));
            }
        });
        self::assertLessThan(20.0, $took, 'a decided call waits for no stopped server');
    }

    /** @return iterable<string, array{int, int}> */
    public static function minorities(): iterable
    {
        yield 'one of three' => [3, 1];
        yield 'one of five' => [5, 1];
        yield 'two of five' => [5, 2];
    }

    /** @dataProvider majorities */
    public function testAMajorityDownIsAQuorumExceptionWithEveryServersReason(int $servers, int $down): void
    {
        $fleet = $this->fleet($servers);
        for ($i = 0; $i < $down; ++$i) {
            $fleet->servers[$i]->kill9();
        }
        $redLock = new RedLock($fleet->specs(), 10, 2);
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        for ($i = 0; $i < $down; ++$i) {
            self::assertStringContainsString($fleet->servers[$i]->name(), $thrown->getMessage());
            self::assertArrayHasKey($fleet->servers[$i]->name(), $redLock->lastErrors());
        }
        self::assertOnlyDown($fleet, $down, $redLock->lastErrors());
        self::assertNoKeysOn($fleet, $down);
    }

    /**
     * The first servers are down; of the others, one may just not have answered when that was known.
     *
     * @param array<string, string> $errors
     */
    private static function assertOnlyDown(Fleet $fleet, int $down, array $errors): void
    {
        foreach ($fleet->servers as $index => $server) {
            $reason = $errors[$server->name()] ?? null;
            if ($index < $down) {
                self::assertNotNull($reason, $server->name());
            } else {
                self::assertContains($reason, [null, 'no answer yet']);
            }
        }
    }

    /**
     * @dataProvider majorities
     * @group real
     */
    public function testAMajorityStoppedIsAQuorumExceptionAndLeavesNoGhosts(int $servers, int $stopped): void
    {
        $fleet = $this->fleet($servers);
        for ($i = 0; $i < $stopped; ++$i) {
            $fleet->servers[$i]->stop();
        }
        $redLock = new RedLock($fleet->specs(null, 0.1), 10, 3);
        self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        self::assertNoKeysOn($fleet, $stopped);
        for ($i = 0; $i < $stopped; ++$i) {
            $fleet->servers[$i]->cont();
        }
        // A round trip on a fresh connection: what had been queued before it has been carried out.
        $fleet->each(static fn ($c) => $c->call('PING'));
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the ghosts to vanish');
        self::assertSame(0, $fleet->keyCount());
        self::held(new RedLock($fleet->specs(), 0, 1), 'r');
    }

    /** @return iterable<string, array{int, int}> */
    public static function majorities(): iterable
    {
        yield 'the only one' => [1, 1];
        yield 'two of three' => [3, 2];
        yield 'all three' => [3, 3];
        yield 'three of five' => [5, 3];
        yield 'all five' => [5, 5];
    }

    /** The servers from `first` on are in health: no key of ours may be left there. */
    private static function assertNoKeysOn(Fleet $fleet, int $first): void
    {
        $healthy = array_slice($fleet->servers, $first);
        $keys = static fn (): int => array_sum(array_map(static fn ($s) => $s->client()->call('DBSIZE'), $healthy));
        Wait::until(static fn (): bool => $keys() === 0, 'the keys on the servers in health to be undone');
    }

    public function testAllStoppedReturnsWithinTheBudget(): void
    {
        $fleet = $this->fleet(5);
        array_map(static fn ($s) => $s->stop(), $fleet->servers);
        $redLock = new RedLock($fleet->specs(null, 0.1), 100, 3);
        $took = self::secondsOf(static fn () => $redLock->lock('r', 60_000));
        self::assertLessThan(5.0, $took, 'three attempts of 0.1 s and two pauses of at most 0.1 s');
        self::assertGreaterThan(0.1, $took);
    }

    /** @group real */
    public function testManyCallsToStoppedServersLeaveNoGhostsEither(): void
    {
        $fleet = $this->fleet(3);
        $fleet->servers[0]->stop();
        $fleet->servers[1]->stop();
        $named = static fn ($s): array => ['host' => '127.0.0.1', 'port' => $s->port, 'timeout' => 0.01];
        $redLock = new RedLock(array_map($named, $fleet->servers), 1, 2);
        for ($i = 0; $i < 60; ++$i) {
            self::caught(QuorumException::class, static fn () => $redLock->lock("r$i", 60_000));
        }
        $fleet->servers[0]->cont();
        $fleet->servers[1]->cont();
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the ghosts to vanish');
        self::assertLessThan(10, max($fleet->each(
            static fn ($c): int => substr_count($c->call('CLIENT', 'LIST'), "\n"),
        )), 'given-up connections do not pile up');
    }

    public function testUnlockExtendAndIsHeldReturnWithinTheBudgetWhenAllAreStopped(): void
    {
        $fleet = $this->fleet(3);
        $redLock = new RedLock($fleet->specs(null, 0.1), 0, 1);
        $lock = self::held($redLock, 'r', 60_000);
        array_map(static fn ($s) => $s->stop(), $fleet->servers);
        self::assertLessThan(1.0, self::secondsOf(static fn () => $redLock->isHeld($lock)));
        self::assertLessThan(1.0, self::secondsOf(static fn () => $redLock->extend($lock, 1000)));
        self::assertLessThan(1.0, self::secondsOf(static fn () => $redLock->unlock($lock)));
    }

    public function testUnlockIsFalseAndDoesNotThrowWhenAMajorityIsDown(): void
    {
        $fleet = $this->fleet(3);
        $redLock = new RedLock($fleet->specs(null, 0.1), 0, 1);
        $lock = self::held($redLock, 'r', 60_000);
        $fleet->servers[0]->kill9();
        $fleet->servers[1]->kill9();
        self::assertFalse($redLock->unlock($lock));
        self::assertOnlyDown($fleet, 2, $redLock->lastErrors());
        Wait::until(static fn () => $fleet->servers[2]->client()->call('DBSIZE') === 0, 'the key on the living one');
    }

    public function testUnlockReachesAServerThatHadBeenStopped(): void
    {
        $fleet = $this->fleet(3);
        $redLock = new RedLock($fleet->specs(null, 0.1), 0, 1);
        $lock = self::held($redLock, 'r', 60_000);
        Wait::until(static fn (): bool => $fleet->keyCount() === 3, 'the key on all servers');
        $fleet->servers[2]->stop();
        self::assertTrue($redLock->unlock($lock));
        $fleet->servers[2]->cont();
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the key on the server that was stopped');
        self::assertSame(0, $fleet->keyCount());
    }

    /** @group real */
    public function testUnlockReachesAStoppedServerThatHasForgottenTheScript(): void
    {
        $fleet = $this->fleet(3);
        $redLock = new RedLock($fleet->specs(null, 0.1), 0, 1);
        $redLock->unlock(self::held($redLock, 'warm up'));
        $lock = self::held($redLock, 'r', 60_000);
        Wait::until(static fn (): bool => $fleet->values('r') === array_fill(0, 3, $lock['token']), 'the key on all');
        $fleet->each(static fn ($c) => $c->call('SCRIPT', 'FLUSH'));
        $fleet->servers[2]->stop();
        self::assertTrue($redLock->unlock($lock));
        // Later calls find the answer overdue and give the connection up.
        usleep(300_000);
        $redLock->unlock(self::held($redLock, 'other'));
        $fleet->servers[2]->cont();
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the key on the server that was stopped');
        self::assertSame(0, $fleet->keyCount());
    }

    public function testIsHeldAndExtendThrowWhenAMajorityCannotBeAsked(): void
    {
        $fleet = $this->fleet(3);
        $redLock = new RedLock($fleet->specs(null, 0.1), 0, 1);
        $lock = self::held($redLock, 'r', 60_000);
        $fleet->servers[0]->kill9();
        $fleet->servers[1]->kill9();
        self::caught(QuorumException::class, static fn () => $redLock->isHeld($lock));
        self::caught(QuorumException::class, static fn () => $redLock->extend($lock, 1000));
    }

    public function testHeldBySomebodyElseIsFalseEvenWithAMinorityDown(): void
    {
        $fleet = $this->fleet(3);
        self::held(new RedLock($fleet->specs(), 0, 1), 'r', 60_000);
        Wait::until(static fn (): bool => $fleet->keyCount() === 3, 'the key on all servers');
        $fleet->servers[0]->kill9();
        self::assertFalse((new RedLock($fleet->specs(), 0, 1))->lock('r', 1000));
    }

    public function testTheSameObjectWorksAgainWhenTheServersAreBack(): void
    {
        $fleet = $this->fleet(3);
        $redLock = new RedLock($fleet->specs(null, 0.1), 0, 1);
        $redLock->unlock(self::held($redLock, 'r'));
        array_map(static fn ($s) => $s->kill9(), $fleet->servers);
        self::caught(QuorumException::class, static fn () => $redLock->lock('r', 1000));
        array_map(static fn ($s) => $s->restart(), $fleet->servers);
        $again = static fn (): array|false => self::unlessAsleep($redLock->lock(...), 'r', 10_000);
        self::assertTrue($redLock->unlock(Wait::until($again, 'a lock from the restarted servers')));
    }

    /** What the call gives, or false while the servers cannot be asked. */
    private static function unlessAsleep(callable $call, mixed ...$arguments): mixed
    {
        try {
            return $call(...$arguments);
        } catch (QuorumException) {
            return false;
        }
    }

    public function testARestartBetweenTwoCallsIsNotNoticed(): void
    {
        $fleet = $this->fleet(1);
        $redLock = new RedLock($fleet->specs(null, 0.5), 50, 10);
        $redLock->unlock(self::held($redLock, 'r'));
        $fleet->servers[0]->restart();
        self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
    }

    public function testAConnectionClosedByTheServersTimeoutIsReplaced(): void
    {
        $server = $this->server(['timeout' => 1]);
        $redLock = new RedLock([['127.0.0.1', $server->port, 0.5]], 20, 3);
        $redLock->unlock(self::held($redLock, 'r'));
        $clients = static fn (): int => substr_count($server->client()->call('CLIENT', 'LIST'), 'id=');
        Wait::until(static fn (): bool => $clients() === 1, 'the server to close our idle connection');
        self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
    }

    public function testAKilledConnectionIsReplaced(): void
    {
        $server = $this->server();
        $redLock = new RedLock([['127.0.0.1', $server->port, 0.5]], 20, 3);
        for ($i = 0; $i < 5; ++$i) {
            $lock = self::held($redLock, 'r');
            $server->client()->call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
            Wait::until(static fn (): bool => self::unlessAsleep($redLock->isHeld(...), $lock), 'a new connection');
            self::assertTrue($redLock->unlock($lock));
        }
    }

    /** @group real */
    public function testClientPauseCountsLikeAStop(): void
    {
        $fleet = $this->fleet(3);
        foreach ([0, 1] as $index) {
            $fleet->servers[$index]->client()->call('CLIENT', 'PAUSE', 700, 'ALL');
        }
        $redLock = new RedLock($fleet->specs(null, 0.1), 0, 1);
        self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the ghosts to vanish after the pause');
        self::assertSame(0, $fleet->keyCount());
    }

    public function testLastErrorsSpeaksOfTheLatestCallOnly(): void
    {
        $fleet = $this->fleet(3);
        $fleet->servers[0]->kill9();
        $fleet->servers[1]->kill9();
        $redLock = new RedLock($fleet->specs(null, 0.1), 0, 1);
        self::caught(QuorumException::class, static fn () => $redLock->lock('r', 1000));
        self::assertOnlyDown($fleet, 2, $redLock->lastErrors());
        $fleet->servers[0]->restart();
        $fleet->servers[1]->restart();
        $undisturbed = static function () use ($redLock): bool {
            $lock = self::unlessAsleep($redLock->lock(...), 'r', 1000);
            $errors = $redLock->lastErrors();
            return is_array($lock) && $redLock->unlock($lock) && $errors === [];
        };
        self::assertTrue(Wait::until($undisturbed, 'a lock without errors'));
    }

    public function testARefusedConnectionIsNamedWithItsReason(): void
    {
        $port = FreePort::find();
        $redLock = new RedLock([['127.0.0.1', $port, 0.2]], 0, 1);
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 1000));
        self::assertStringContainsString("127.0.0.1:$port", $thrown->getMessage());
        self::assertStringContainsStringIgnoringCase('refused', $thrown->getMessage());
        self::assertMatchesRegularExpression("/'r' .*tried for \d+ ms/", $thrown->getMessage(), 'what, and how long');
        self::assertStringContainsStringIgnoringCase('refused', $redLock->lastErrors()["127.0.0.1:$port"]);
    }

    public function testAUnixSocketThatDoesNotExistIsNamed(): void
    {
        $redLock = new RedLock(['unix:///nowhere/redis.sock'], 0, 1);
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 1000));
        self::assertStringContainsString('/nowhere/redis.sock', $thrown->getMessage());
    }
}
