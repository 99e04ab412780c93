<?php

/** Servers behind proxies that hang up at commands which they do not know: locks are taken, waited for and named all the same. */

declare(strict_types=1);

namespace RedLock\Tests\Servers;

use PidLock;
use RedLock;
use RedLock\Harness\ChildProcess;
use RedLock\Harness\FilteringProxy;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class ProxiesTest extends ServerTestCase
{
    /** What twemproxy knows nothing of, among what we say. */
    private const UNKNOWN = ['SUBSCRIBE', 'CLIENT'];

    /** @var list<RedisServer> */
    private array $servers = [];
    /** @var list<FilteringProxy> */
    private array $proxies = [];

    /**
     * @param list<string> $unknown
     * @return list<array<string, mixed>>
     */
    private function specs(int $count, array $unknown = self::UNKNOWN): array
    {
        for ($i = 0; $i < $count; ++$i) {
            $server = $this->servers[] = $this->server();
            $this->proxies[] = $this->filteringProxy($server, $unknown);
        }
        return array_map(static fn (FilteringProxy $p): array => ['host' => '127.0.0.1', 'port' => $p->port, 'timeout' => 2.0], $this->proxies);
    }

    /**
     * A process that waits for 'r' and says why it polls.
     *
     * @param array<string, mixed> $args
     */
    private function waiter(array $args): ChildProcess
    {
        return $this->php('
            $locks = new RedLock\LockManager($args["servers"], $args["options"] + ["retryDelay" => 20]);
            for ($i = 0; $i < $args["waits"]; ++$i) {
                $lease = $locks->acquire("r", 10_000, 60_000);
                $errors = $locks->lastErrors();
                $lease?->release();
                report(["got" => $lease !== null, "errors" => $errors]);
                fgets(STDIN);
            }
        ', $args + ['waits' => 1, 'options' => []]);
    }

    /** Waits until someone tries again and again to take 'r' on the first server. */
    private function awaitPolling(): void
    {
        $before = $this->servers[0]->calls('set');
        Wait::until(fn (): bool => $this->servers[0]->calls('set') >= $before + 5, 'the waiter to poll');
    }

    /** A majority is told that is not heard; the others need not have been. @param array<string, string> $errors */
    private function assertClosedAtSubscribe(array $errors): void
    {
        self::assertGreaterThan(count($this->proxies) / 2, count($errors));
        self::assertSame(['waits by polling: the server closed the connection at SUBSCRIBE'], array_values(array_unique($errors)));
    }

    /** @dataProvider counts */
    public function testALeaseIsWaitedForByPolling(int $count): void
    {
        $specs = $this->specs($count);
        $held = (new LockManager($specs))->acquire('r', 60_000);
        self::assertNotNull($held);
        $waiter = $this->waiter(['servers' => $specs]);
        $this->awaitPolling();
        self::assertTrue($held->release());
        $report = PhpProcess::report($waiter);
        self::assertTrue($report['got']);
        $this->assertClosedAtSubscribe($report['errors']);
    }

    /** @return iterable<string, array{int}> */
    public static function counts(): iterable
    {
        yield 'one server' => [1];
        yield 'three servers' => [3];
    }

    public function testTheSecondWaitPollsToo(): void
    {
        $specs = $this->specs(1);
        $locks = new LockManager($specs);
        $waiter = $this->waiter(['servers' => $specs, 'waits' => 2]);
        self::assertTrue(PhpProcess::report($waiter)['got']);
        $held = $locks->acquire('r', 60_000);
        self::assertNotNull($held);
        $waiter->writeLine('');
        $this->awaitPolling();
        self::assertTrue($held->release());
        $report = PhpProcess::report($waiter);
        self::assertTrue($report['got']);
        $this->assertClosedAtSubscribe($report['errors']);
    }

    public function testWhereAMajorityCanBeListenedToOneWaitsInLine(): void
    {
        $specs = $this->specs(1);
        for ($i = 0; $i < 2; ++$i) {
            $server = $this->server();
            $specs[] = ['host' => '127.0.0.1', 'port' => $server->port, 'timeout' => 2.0];
        }
        $held = (new LockManager($specs))->acquire('r', 60_000);
        self::assertNotNull($held);
        $waiter = $this->waiter(['servers' => $specs]);
        Wait::until(static fn (): bool => $server->client()->call('ZCARD', 'r:redlock:line') === 1, 'the waiter to stand in line');
        self::assertTrue($held->release());
        self::assertTrue(PhpProcess::report($waiter)['got']);
    }

    /** Its first attempt is its only one. */
    public function testRedLockWithANameLocksExtendsAndUnlocks(): void
    {
        $redLock = new RedLock($this->specs(3), 0, 1, ['clientName' => 'worker-7']);
        $lock = self::held($redLock, 'r');
        self::assertIsArray($redLock->extend($lock, 10_000));
        self::assertTrue($redLock->unlock($lock));
        self::assertSame([], $redLock->lastErrors());
    }

    public function testRedLockTakesALockThatWasHeldWhenItBegan(): void
    {
        $specs = $this->specs(3);
        $held = self::held(new RedLock($specs), 'r', 60_000);
        $waiter = $this->php('
            $redLock = new RedLock($args["servers"], 20, 3_000, ["clientName" => "worker-7"]);
            report($redLock->lock("r", 10_000) !== false);
        ', ['servers' => $specs]);
        $this->awaitPolling();
        self::assertTrue((new RedLock($specs))->unlock($held));
        self::assertTrue(PhpProcess::report($waiter));
    }

    public function testPidLockWithANameTakesAndReleases(): void
    {
        $spec = $this->specs(1)[0];
        $pidLock = new PidLock($spec, ['clientName' => 'worker-7']);
        self::assertSame(1, $pidLock->getPidLock('p', 10));
        $other = $this->php('
            $pidLock = new PidLock($args["server"], ["clientName" => "worker-8"]);
            report($pidLock->getPidLock("p", 10));
        ', ['server' => $spec]);
        self::assertSame(0, PhpProcess::report($other));
        self::assertTrue($pidLock->releasePidLock('p'));
    }

    public function testALeaseWithANameIsWaitedFor(): void
    {
        $specs = $this->specs(3);
        $held = (new LockManager($specs, ['clientName' => 'worker-7']))->acquire('r', 60_000);
        self::assertNotNull($held);
        $waiter = $this->waiter(['servers' => $specs, 'options' => ['clientName' => 'worker-8']]);
        $this->awaitPolling();
        self::assertTrue($held->release());
        $report = PhpProcess::report($waiter);
        self::assertTrue($report['got']);
        $this->assertClosedAtSubscribe($report['errors']);
    }

    public function testAServerThatHangsUpOnWhateverIsSaidMayExpectTls(): void
    {
        $redLock = new RedLock($this->specs(1, ['SET', 'EVAL', 'EVALSHA']), 0, 1);
        $error = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 10_000));
        self::assertStringContainsString('it may expect TLS', $error->getMessage());
    }
}
