<?php

/** One process that serves many requests: connections may outlive a request, ownership may not. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Harness\WebServer;
use RedLock\Tests\Support\ServerTestCase;

final class RequestsTest extends ServerTestCase
{
    private const CODE = '
        $port = (int) $_GET["port"];
        $redLock = new RedLock([["127.0.0.1", $port, 1]], 0, 1, ["clientName" => "web"]);
        $pidLock = new PidLock(["127.0.0.1", $port, 1]);
        echo json_encode(match ($_GET["do"]) {
            "nothing" => null,
            "turn" => $redLock->unlock($redLock->lock("r", 10000)),
            "lastTurn" => [ini_set("redlock.persistent", "0"), $redLock->unlock($redLock->lock("r", 10000))],
            "lock" => $redLock->lock("r", 10000),
            "get" => $pidLock->getPidLock("p", 30),
            "release" => $pidLock->releasePidLock("p"),
            "holds" => $pidLock->holdsPidLock("p"),
            "remaining" => $pidLock->remainingPidLock("p"),
            "fatal" => [$pidLock->getPidLock("p", 30), $redLock->lock("r", 10000), this_function_does_not_exist()],
            "exhaust" => [$redLock->lock("r", 10000), str_repeat("x", 1 << 30)],
        });
    ';

    private RedisServer $redis;
    private WebServer $web;

    /** @param array<string, string|int> $settings */
    private function serve(array $settings = []): void
    {
        $this->redis = $this->server();
        $this->web = $this->web(self::CODE, $settings);
    }

    private function ask(string $do): mixed
    {
        $body = $this->web->get(http_build_query(['do' => $do, 'port' => $this->redis->port]));
        return json_decode($body, true) ?? $body;
    }

    /** @return list<string> */
    private function connections(): array
    {
        preg_match_all('/^id=(\d+) .* name=web /m', $this->redis->client()->call('CLIENT', 'LIST'), $matches);
        return $matches[1];
    }

    public function testTheConnectionOutlivesTheRequest(): void
    {
        $this->serve();
        self::assertTrue($this->ask('turn'));
        $first = $this->connections();
        for ($i = 0; $i < 5; ++$i) {
            self::assertTrue($this->ask('turn'));
        }
        self::assertCount(1, $first);
        self::assertSame($first, $this->connections());
    }

    public function testWithoutPersistenceTheConnectionEndsWithTheRequest(): void
    {
        $this->serve(['redlock.persistent' => '0']);
        self::assertTrue($this->ask('turn'));
        Wait::until(fn (): bool => $this->connections() === [], 'the connection to be closed');
        self::assertTrue($this->ask('turn'));
    }

    public function testARequestMayItselfSayThatItsConnectionsEndWithIt(): void
    {
        $this->serve();
        self::assertSame(['1', true], $this->ask('lastTurn'));
        Wait::until(fn (): bool => $this->connections() === [], 'the connection to be closed');
        self::assertTrue($this->ask('turn'));
        self::assertCount(1, $this->connections(), 'the setting was for one request');
    }

    public function testAConnectionThatIsIdleForLongIsReplacedInTheNextRequest(): void
    {
        $this->serve(['redlock.pool_idle_seconds' => '0']);
        self::assertTrue($this->ask('turn'));
        $first = $this->connections();
        self::assertTrue($this->ask('turn'));
        self::assertNotContains($first[0] ?? '', $this->connections());
    }

    public function testALockOfARequestThatHasEndedStaysUntilItsTtl(): void
    {
        $this->serve();
        $lock = $this->ask('lock');
        self::assertIsArray($lock);
        self::assertFalse($this->ask('lock'));
        self::assertSame($lock['token'], $this->redis->client()->call('GET', 'r'));
    }

    public function testTheNextRequestDoesNotOwnThePidLocksOfTheLast(): void
    {
        $this->serve();
        self::assertSame(1, $this->ask('get'));
        self::assertFalse($this->ask('holds'));
        self::assertLessThanOrEqual(0, $this->ask('remaining'));
        self::assertTrue($this->ask('release'));
        self::assertSame(1, $this->redis->client()->call('EXISTS', 'lock_pid:p'));
        self::assertSame(0, $this->ask('get'));
    }

    public function testNeitherDoesItAfterAFatalError(): void
    {
        $this->serve();
        self::assertStringContainsString('this_function_does_not_exist', $this->ask('fatal'));
        self::assertFalse($this->ask('holds'));
        self::assertFalse($this->ask('lock'), 'the lock of the failed request stays until its TTL');
        self::assertSame(2, $this->redis->client()->call('DBSIZE'));
    }

    public function testARequestThatRunsOutOfMemoryDoesNotHarmTheNext(): void
    {
        $this->serve(['memory_limit' => '64M']);
        self::assertStringContainsString('Allowed memory size', $this->ask('exhaust'));
        $this->redis->client()->call('DEL', 'r');
        for ($i = 0; $i < 5; ++$i) {
            self::assertTrue($this->ask('turn'));
        }
        self::assertCount(1, $this->connections());
    }

    public function testAnUnusedExtensionOpensNoConnection(): void
    {
        $this->serve();
        self::assertNull(json_decode((string) $this->web->get('do=nothing&port=' . $this->redis->port)));
        self::assertSame([], $this->connections());
    }
}
