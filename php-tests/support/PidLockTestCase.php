<?php

/** Tests of the timestamp lock share one server per class, which is emptied before each. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

use PidLock;
use RedLock\Harness\MemoryClient;
use RedLock\Harness\MemoryServer;
use RedLock\Harness\RedisServer;
use RedLock\Harness\RespClient;

abstract class PidLockTestCase extends ServerTestCase
{
    protected static RedisServer|MemoryServer $server;
    protected static RespClient|MemoryClient $redis;

    public static function setUpBeforeClass(): void
    {
        self::$server = MemoryServer::wanted() ? new MemoryServer() : RedisServer::start();
        self::$redis = self::$server->client();
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->kill9();
    }

    protected function setUp(): void
    {
        self::$redis->call('FLUSHALL');
    }

    /** @param array<string, mixed> $options */
    protected static function pidLock(array $options = []): PidLock
    {
        return new PidLock(self::$server->name(), $options + ['timeout' => 1]);
    }

    protected static function stamp(string $key = 'lock_pid:p'): ?string
    {
        return self::$redis->call('GET', $key);
    }

    /** The server's clock in milliseconds. */
    protected static function serverMs(): float
    {
        [$seconds, $microseconds] = self::$redis->call('TIME');
        return $seconds * 1000 + intdiv((int) $microseconds, 1000);
    }

    protected static function integerPart(string $stamp): float
    {
        return (float) strtok($stamp, '.');
    }
}
