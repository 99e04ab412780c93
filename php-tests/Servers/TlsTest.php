<?php

/** All three classes over TLS: locks, waiting, keeping alive, and the reasons where it cannot be. */

declare(strict_types=1);

namespace RedLock\Tests\Servers;

use PidLock;
use RedLock;
use RedLock\ConnectionException;
use RedLock\Harness\Certificate;
use RedLock\Harness\FreePort;
use RedLock\Harness\RedisServer;
use RedLock\Harness\TempFolder;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class TlsTest extends ServerTestCase
{
    private RedisServer $server;
    private int $port;
    private string $certificate;

    protected function setUp(): void
    {
        $certificate = new Certificate();
        $this->certificate = $certificate->file;
        $this->port = FreePort::find();
        $this->server = $this->server($certificate->settings($this->port));
    }

    /** @param array<string, mixed> $options */
    private function spec(array $options = []): array
    {
        $options += ['cafile' => $this->certificate];
        return ['host' => '127.0.0.1', 'port' => $this->port, 'timeout' => 5.0, 'tls' => $options];
    }

    public function testRedLockLocksExtendsAndGivesBack(): void
    {
        $redLock = new RedLock([$this->spec()], 0, 1);
        $lock = $redLock->lock('r', 60_000);
        self::assertIsArray($lock);
        self::assertSame($lock['token'], $this->server->client()->call('GET', 'r'));
        self::assertIsArray($redLock->extend($lock, 60_000));
        self::assertTrue($redLock->isHeld($lock));
        self::assertTrue($redLock->unlock($lock));
        self::assertNull($this->server->client()->call('GET', 'r'));
    }

    public function testPidLockToo(): void
    {
        $pidLock = new PidLock($this->spec());
        self::assertNotFalse($pidLock->getPidLock('r', 60));
        self::assertNotFalse($pidLock->holdsPidLock('r'));
        self::assertNotFalse($pidLock->releasePidLock('r'));
    }

    public function testALeaseIsKeptAliveByTheThreadsOwnConnections(): void
    {
        $lease = (new LockManager([$this->spec()]))->acquire('r', 300, options: ['keepAlive' => true]);
        $until = microtime(true) + 1.0;
        Wait::until(static fn (): bool => microtime(true) > $until, 'three ttls');
        self::assertTrue($lease->confirm());
        $lease->release();
        self::assertSame(0, $this->server->client()->call('EXISTS', 'r'));
    }

    public function testReadersShareALockAndOneIsPromoted(): void
    {
        $locks = new LockManager([$this->spec()]);
        $one = $locks->acquireShared('r', 60_000);
        $other = $locks->acquireShared('r', 60_000);
        self::assertFalse($one->promote());
        self::assertTrue($other->release());
        self::assertTrue($one->promote());
        self::assertTrue($one->demote());
        self::assertTrue($one->release());
        self::assertSame(0, $this->server->client()->call('EXISTS', 'r'));
    }

    public function testAServerThatCannotBeTrustedIsNamedWithTheReason(): void
    {
        $redLock = new RedLock([$this->spec(['cafile' => '/etc/hostname'])], 0, 1);
        try {
            $redLock->lock('r', 60_000);
            self::fail('a lock');
        } catch (QuorumException $trouble) {
            self::assertSame(["127.0.0.1:$this->port" => 'tls'], $trouble->faults());
            self::assertStringContainsString('cafile /etc/hostname: holds no certificates', $trouble->getMessage());
        }
        $pidLock = new PidLock($this->spec(['peer_name' => 'other.example']));
        try {
            $pidLock->getPidLock('r', 60);
            self::fail('a lock');
        } catch (ConnectionException $trouble) {
            self::assertSame(["127.0.0.1:$this->port" => 'tls'], $trouble->faults());
            self::assertStringContainsString('is not for other.example', $trouble->getMessage());
        }
        self::assertSame(0, $this->server->client()->call('DBSIZE'));
    }

    /** It waits for the end of a line. */
    public function testAServerWithoutTlsIsATimeOutThatNamesTls(): void
    {
        $spec = ['port' => $this->server()->port, 'timeout' => 0.3] + $this->spec();
        $words = 'not a word from the server, which may not speak TLS here';
        $seconds = self::secondsOf(function () use ($spec, $words): void {
            $calls = [
                static fn () => (new RedLock([$spec], 0, 1))->lock('r', 60_000),
                static fn () => (new PidLock($spec))->getPidLock('r', 60),
                static fn () => (new LockManager([$spec]))->acquire('r', 60_000),
            ];
            foreach ($calls as $call) {
                self::assertStringContainsString($words, self::caught(\RedLock\Exception::class, $call)->getMessage());
            }
        });
        self::assertLessThan(10, $seconds);
    }

    public function testPassphrasesAreNowhere(): void
    {
        $folder = TempFolder::make();
        $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
        openssl_pkey_export($key, $text, 'Secret1');
        file_put_contents("$folder/key.pem", $text);
        $options = ['local_cert' => $this->certificate, 'local_pk' => "$folder/key.pem", 'passphrase' => 'Secret2'];
        $redLock = new RedLock([$this->spec($options)], 0, 1);
        try {
            $redLock->lock('r', 60_000);
            self::fail('a lock');
        } catch (QuorumException $trouble) {
            self::assertStringContainsString('encrypted with another passphrase', $trouble->getMessage());
            self::assertStringNotContainsString('Secret', $trouble->getMessage() . print_r($redLock, true));
        }
    }
}
