<?php

/** Servers some way off work with the default times: all three classes, plain and by TLS, kept and waited for. */

declare(strict_types=1);

namespace RedLock\Tests\Servers;

use PidLock;
use RedLock;
use RedLock\Harness\Certificate;
use RedLock\Harness\FaultProxy;
use RedLock\Harness\FreePort;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class FarTest extends ServerTestCase
{
    /** A round trip of 60 ms. */
    private const ONE_WAY_MS = 30;
    /** By TLS connecting and an answer take a round trip of this each: together more than an answer may take. */
    private const FAR_WAY_MS = 70;

    /** @return iterable<string, array{bool}> */
    public static function ways(): iterable
    {
        yield 'plain' => [false];
        yield 'by TLS' => [true];
    }

    /** @return list<array<string, mixed>> three servers far away, without a timeout */
    private function servers(bool $tls, int $oneWayMs = self::ONE_WAY_MS): array
    {
        $certificate = $tls ? new Certificate() : null;
        $servers = [];
        for ($i = 0; $i < 3; ++$i) {
            $port = $tls ? FreePort::find() : 0;
            $server = $this->server($tls ? $certificate->settings($port) : []);
            $proxy = $this->started[] = new FaultProxy($tls ? $port : $server->port);
            $proxy->delay($oneWayMs);
            $servers[] = ['host' => '127.0.0.1', 'port' => $proxy->port] + ($tls ? ['tls' => ['cafile' => $certificate->file]] : []);
        }
        return $servers;
    }

    /** @dataProvider ways */
    public function testRedLockLocksExtendsAndUnlocksAtItsFirstAttempt(bool $tls): void
    {
        $redLock = new RedLock($this->servers($tls), 0, 1);
        $lock = $redLock->lock('r', 10_000);
        self::assertIsArray($lock);
        self::assertIsArray($redLock->extend($lock, 10_000));
        self::assertTrue($redLock->unlock($lock));
    }

    /** @dataProvider ways */
    public function testPidLockTakesAndReleasesAtItsFirstAttempt(bool $tls): void
    {
        $pidLock = new PidLock($this->servers($tls)[0]);
        self::assertSame(1, $pidLock->getPidLock('p', 10));
        self::assertTrue($pidLock->releasePidLock('p'));
    }

    public function testConnectingHasATimeOfItsOwn(): void
    {
        $servers = $this->servers(true, self::FAR_WAY_MS);
        $redLock = new RedLock($servers, 0, 1);
        self::assertIsArray($redLock->lock('r', 10_000));
        self::assertSame([], $redLock->lastErrors());
        $impatient = new RedLock($servers, 0, 1, ['connectTimeout' => 0.1]);
        try {
            $impatient->lock('s', 10_000);
            self::fail('It cannot have connected.');
        } catch (QuorumException $error) {
            self::assertStringContainsString(' ms, its connectTimeout)', $error->getMessage());
        }
    }

    /** @dataProvider ways */
    public function testALeaseIsKeptBeyondItsTtlAndWaitedFor(bool $tls): void
    {
        $servers = $this->servers($tls, self::ONE_WAY_MS);
        $locks = new LockManager($servers);
        $lease = $locks->acquire('r', 2_000, options: ['keepAlive' => true]);
        self::assertNotNull($lease);
        $waiter = $this->php('
            $locks = new RedLock\LockManager($args["servers"]);
            $lease = $locks->acquire("r", 10_000, 20_000);
            report($lease !== null ? $locks->stats()["handedOver"] : -1);
        ', ['servers' => $servers]);
        $until = microtime(true) + 3.0;
        Wait::until(static fn (): bool => microtime(true) > $until, 'more than a ttl');
        Wait::until(static fn (): bool => min(array_column($locks->inspect('r')['servers'], 'waiters')) === 1, 'a waiter in line');
        self::assertTrue($lease->confirm());
        $lease->release();
        self::assertSame(1, PhpProcess::report($waiter), 'in line, and not by polling');
    }
}
