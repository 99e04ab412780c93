<?php

/** A test that starts what it needs and leaves nothing behind. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

use PHPUnit\Framework\TestCase;
use RedLock;
use RedLock\Harness\ChildProcess;
use RedLock\Harness\FaultProxy;
use RedLock\Harness\FilteringProxy;
use RedLock\Harness\Fleet;
use RedLock\Harness\HostileServer;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Harness\WebServer;

abstract class ServerTestCase extends TestCase
{
    /** @var list<Fleet|RedisServer|FaultProxy|FilteringProxy|HostileServer|WebServer|ChildProcess> */
    protected array $started = [];

    protected function tearDown(): void
    {
        foreach ($this->started as $thing) {
            match (true) {
                $thing instanceof RedisServer => $thing->kill9(),
                $thing instanceof ChildProcess => $thing->kill(),
                default => $thing->end(),
            };
        }
        $this->started = [];
    }

    /** @param array<string, string|int> $options */
    protected function fleet(int $count, array $options = []): Fleet
    {
        return $this->started[] = new Fleet($count, $options);
    }

    /**
     * @param array<string, string|int> $options
     * @param list<string> $users
     */
    protected function server(array $options = [], array $users = []): RedisServer
    {
        return $this->started[] = RedisServer::start($options, $users);
    }

    protected function proxy(RedisServer $server): FaultProxy
    {
        return $this->started[] = new FaultProxy($server->port);
    }

    /** @param list<string> $unknown the commands at which it hangs up */
    protected function filteringProxy(RedisServer $server, array $unknown): FilteringProxy
    {
        return $this->started[] = new FilteringProxy($server->port, $unknown);
    }

    /** @param array<string, string|int> $settings */
    protected function web(string $code, array $settings = []): WebServer
    {
        return $this->started[] = new WebServer($code, $settings);
    }

    protected function hostile(string $manner): HostileServer
    {
        return $this->started[] = new HostileServer($manner);
    }

    /**
     * @param array<mixed> $args
     * @param array<string, string|int> $settings
     */
    protected function php(string $code, array $args = [], array $settings = []): ChildProcess
    {
        return $this->started[] = PhpProcess::start($code, $args, $settings);
    }

    /** Ends with the test, whatever becomes of that. */
    protected function watch(ChildProcess $process): ChildProcess
    {
        return $this->started[] = $process;
    }

    /** Runs the callable and gives how many seconds it took; what it throws of its own goes unheeded. */
    protected static function secondsOf(callable $call): float
    {
        $start = Wait::now();
        try {
            $call();
        } catch (\RedLock\Exception) {
        }
        return Wait::now() - $start;
    }

    /** What the callable throws; the test fails when it throws nothing of that type. */
    protected static function caught(string $type, callable $call): \Throwable
    {
        try {
            $call();
        } catch (\Throwable $thrown) {
            self::assertInstanceOf($type, $thrown, (string) $thrown);
            return $thrown;
        }
        self::fail("nothing was thrown where a $type was expected");
    }

    /** A handle as RedLock gives it, or a failed test. */
    protected static function held(RedLock $redLock, string|int $resource, int $ttl = 10_000): array
    {
        $lock = $redLock->lock($resource, $ttl);
        self::assertIsArray($lock, "the lock on '$resource' could not be taken");
        return $lock;
    }
}
