<?php

/** A fail-over behind one address: the connection leads to the old primary, a replica by now, and the next one to the new. */

declare(strict_types=1);

namespace RedLock\Tests\Servers;

use PidLock;
use RedLock;
use RedLock\Harness\FaultProxy;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class FailOverTest extends ServerTestCase
{
    private RedisServer $old;
    private RedisServer $new;
    private FaultProxy $address;

    protected function setUp(): void
    {
        parent::setUp();
        $this->old = $this->server(['repl-diskless-sync-delay' => 0]);
        $this->new = $this->server(['replicaof' => "127.0.0.1 {$this->old->port}", 'repl-diskless-sync-delay' => 0]);
        $this->address = $this->proxy($this->old);
        $linked = fn (): bool => str_contains($this->new->client()->call('INFO', 'replication'), 'master_link_status:up');
        Wait::until($linked, 'the replica');
    }

    /** @return array{host: string, port: int} */
    private function spec(): array
    {
        return ['host' => '127.0.0.1', 'port' => $this->address->port];
    }

    private function failOver(): void
    {
        // WAIT is about what its own client wrote, and about all before that.
        $client = $this->old->client();
        $client->call('SET', 'last', 'of all');
        self::assertSame(1, $client->call('WAIT', '1', '10000'));
        $this->demote();
        $this->address->lead($this->new->port);
    }

    private function demote(): void
    {
        $this->new->client()->call('REPLICAOF', 'NO', 'ONE');
        $this->old->client()->call('REPLICAOF', '127.0.0.1', (string) $this->new->port);
    }

    public function testRedLockGoesOnWithinTheSameCall(): void
    {
        $redLock = new RedLock([$this->spec()], 0, 1);
        $first = self::held($redLock, 'first', 60_000);
        $this->failOver();
        self::assertIsArray($redLock->lock('second', 60_000));
        self::assertSame([], $redLock->lastErrors());
        self::assertTrue($redLock->unlock($first));
        self::assertNull($this->new->client()->call('GET', 'first'));
    }

    public function testExtendAndUnlockGoOnWithinTheSameCall(): void
    {
        $redLock = new RedLock([$this->spec()], 0, 1);
        $one = self::held($redLock, 'one', 60_000);
        // Has a connection of its own, for its times differ.
        $beside = new RedLock([$this->spec() + ['connectTimeout' => 5]], 0, 1);
        $other = self::held($beside, 'other', 60_000);
        $this->failOver();
        self::assertIsArray($redLock->extend($one, 90_000));
        self::assertTrue($beside->unlock($other));
        self::assertNull($this->new->client()->call('GET', 'other'));
    }

    public function testPidLockGoesOnWithinTheSameCall(): void
    {
        $pidLock = new PidLock($this->spec());
        self::assertSame(1, $pidLock->getPidLock('p', 60));
        $this->failOver();
        self::assertTrue($pidLock->releasePidLock('p'));
        self::assertSame(1, $pidLock->getPidLock('p', 60));
    }

    public function testALeaseThatIsKeptSurvives(): void
    {
        $locks = new LockManager([$this->spec()]);
        $lease = $locks->acquire('r', 1_500, options: ['keepAlive' => true]);
        self::assertNotNull($lease);
        $kept = fn (RedisServer $server): \Closure => static fn (): bool => $server->calls('pexpire') > 0;
        Wait::until($kept($this->old), 'the lease is extended');
        $this->failOver();
        Wait::until($kept($this->new), 'it is extended on the new primary');
        self::assertTrue($lease->confirm());
        self::assertTrue($lease->release());
        self::assertNull($this->new->client()->call('GET', 'r'));
    }

    public function testAReplicaThatStaysOneIsToldByItsName(): void
    {
        $redLock = new RedLock([$this->spec()], 0, 1);
        self::held($redLock, 'first', 60_000);
        $this->demote();
        try {
            $redLock->lock('second', 60_000);
            self::fail('A replica gives no lock.');
        } catch (QuorumException $error) {
            self::assertSame(['readonly'], array_values($error->faults()));
        }
        $this->address->lead($this->new->port);
        $again = static function () use ($redLock): bool {
            try {
                return $redLock->lock('second', 60_000) !== false;
            } catch (QuorumException) {
                return false;
            }
        };
        Wait::until($again, 'the new primary gives the lock');
    }
}
