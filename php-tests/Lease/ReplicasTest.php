<?php

/** Votes that replicas must have: a lock that they lack is none, and leaves nothing. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use PHPUnit\Framework\TestCase;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;
use RedLock\QuorumException;

/** @group real */
final class ReplicasTest extends TestCase
{
    private RedisServer $master;
    private RedisServer $replica;

    protected function setUp(): void
    {
        $this->master = RedisServer::start(['repl-diskless-sync-delay' => 0]);
        $this->replica = RedisServer::start(['replicaof' => "127.0.0.1 {$this->master->port}"]);
        $client = $this->master->client();
        $follows = static fn (): bool => $client->call('SET', 'warm', '1') === 'OK' && $client->call('WAIT', '1', '100') === 1;
        // Three times: by itself it does so once a second, and to a question not in its first moments.
        $atOnce = static fn (): bool => $follows() && $follows() && $follows();
        self::assertTrue(Wait::until($atOnce, 'a replica to acknowledge at once what it gets', 10.0));
        $client->call('CONFIG', 'RESETSTAT');
    }

    protected function tearDown(): void
    {
        $this->replica->kill9();
        $this->master->kill9();
    }

    private function locks(int $replicas = 1, float $timeout = 2.0): LockManager
    {
        return new LockManager([$this->master->spec($timeout)], ['replicas' => $replicas, 'retryDelay' => 20]);
    }

    private function refusal(LockManager $locks): QuorumException
    {
        try {
            $lease = $locks->acquire('r', 60_000);
        } catch (QuorumException $thrown) {
            return $thrown;
        }
        self::fail('a lock that too few replicas have was granted');
    }

    private function gone(): bool
    {
        return Wait::until(fn (): bool => $this->master->client()->call('EXISTS', 'r') === 0, 'the vote to be undone', 5.0);
    }

    public function testALockIsOnTheReplicaWhenItIsGranted(): void
    {
        $lease = $this->locks()->acquire('r', 60_000);
        self::assertInstanceOf(Lease::class, $lease);
        self::assertSame($lease->token, $this->replica->client()->call('GET', 'r'));
        self::assertTrue($lease->extend(90_000));
        self::assertTrue($lease->release());
    }

    public function testALockSurvivesAFailOverRightBehindIt(): void
    {
        $lease = $this->locks()->acquire('r', 60_000);
        $this->master->kill9();
        $this->replica->client()->call('REPLICAOF', 'NO', 'ONE');
        self::assertSame($lease->token, $this->replica->client()->call('GET', 'r'));
        self::assertNull((new LockManager([$this->replica->spec(2.0)]))->acquire('r', 1_000));
    }

    public function testAReplicaThatStandsStillMeansNoLockWithinTheTimeoutAndNothingIsLeft(): void
    {
        $locks = $this->locks(timeout: 1.5);
        self::assertInstanceOf(Lease::class, $locks->acquire('before', 1_000));
        $this->replica->stop();
        $begin = hrtime(true);
        $thrown = $this->refusal($locks);
        self::assertLessThan(15.0, (hrtime(true) - $begin) / 1e9);
        self::assertStringContainsString("{$this->master->name()}: replicas: too few, 0 of 1 have it in time", $thrown->getMessage());
        self::assertSame([$this->master->name() => 'noreplicas'], $thrown->faults());
        self::assertStringContainsString('too few, 0 of 1', implode("\n", $locks->lastErrors()));
        self::assertTrue($this->gone());
        $this->replica->cont();
        self::assertInstanceOf(Lease::class, $locks->acquire('r', 1_000, 5_000));
    }

    public function testMoreThanTheServerHasIsSaidOfTheServerBeforeAnythingIsSent(): void
    {
        $thrown = $this->refusal($this->locks(2));
        self::assertStringContainsString("{$this->master->name()}: replicas: it has 1, 2 must have each vote", $thrown->getMessage());
        self::assertSame([$this->master->name() => 'noreplicas'], $thrown->faults());
        self::assertStringNotContainsString('cmdstat_eval', $this->master->client()->call('INFO', 'commandstats'));
    }

    public function testAUserWhoMayNotWaitGetsNoLockAndLeavesNone(): void
    {
        $this->master->client()->call('ACL', 'SETUSER', 'default', '-wait');
        $thrown = $this->refusal($this->locks());
        self::assertStringContainsString('replicas: WAIT was refused: NOPERM', $thrown->getMessage());
        self::assertTrue($this->gone());
    }

    public function testWithoutTheOptionNothingMoreIsSent(): void
    {
        self::assertInstanceOf(Lease::class, $this->locks(0)->acquire('r', 1_000));
        $said = $this->master->client()->call('INFO', 'commandstats');
        self::assertStringNotContainsString('cmdstat_wait', $said);
    }

    /** @dataProvider wrong */
    public function testWhatCannotBeMeantIsRefused(mixed $replicas, string $reason): void
    {
        $this->expectException(\ValueError::class);
        $this->expectExceptionMessage($reason);
        new LockManager([$this->master->spec(1.0)], ['replicas' => $replicas]);
    }

    /** @return array<string, array{mixed, string}> */
    public static function wrong(): array
    {
        $reason = 'Argument #2 ($options) must be valid: replicas must be between 0 and 16';
        return ['negative' => [-1, $reason], 'absurd' => [17, $reason]];
    }

    public function testAServerInMemoryHasNone(): void
    {
        $locks = new LockManager(['memory://replicas'], ['replicas' => 1]);
        self::assertStringContainsString('replicas: it has 0, 1 must have each vote', $this->refusal($locks)->getMessage());
    }
}
