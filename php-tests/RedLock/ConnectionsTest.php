<?php

/** Connections live across calls and objects, and none is leaked. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\FreePort;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class ConnectionsTest extends ServerTestCase
{
    /** @return list<string> the ids of the connections with our name */
    private static function clientIds(RedisServer $server, string $name): array
    {
        preg_match_all("/^id=(\d+) .* name=$name /m", $server->client()->call('CLIENT', 'LIST'), $matches);
        return $matches[1];
    }

    /** The same, once there is one: a name follows the first commands. @return list<int> */
    private static function named(RedisServer $server, string $name): array
    {
        Wait::until(static fn (): bool => self::clientIds($server, $name) !== [], 'a connection to have its name');
        return self::clientIds($server, $name);
    }

    private static function redLock(RedisServer $server, string $name): RedLock
    {
        return new RedLock([['127.0.0.1', $server->port, 0.5]], 0, 1, ['clientName' => $name]);
    }

    public function testTheSameConnectionServesManyCalls(): void
    {
        $server = $this->server();
        $redLock = self::redLock($server, 'many-calls');
        $redLock->unlock(self::held($redLock, 'r'));
        $first = self::named($server, 'many-calls');
        for ($i = 0; $i < 50; ++$i) {
            $redLock->unlock(self::held($redLock, 'r'));
        }
        self::assertCount(1, $first);
        self::assertSame($first, self::clientIds($server, 'many-calls'));
    }

    public function testTheSameConnectionServesManyObjects(): void
    {
        $server = $this->server();
        self::held(self::redLock($server, 'many-objects'), 'a');
        $first = self::named($server, 'many-objects');
        for ($i = 0; $i < 20; ++$i) {
            self::held(self::redLock($server, 'many-objects'), "b$i");
        }
        self::assertCount(1, $first);
        self::assertSame($first, self::clientIds($server, 'many-objects'));
    }

    /** @group real */
    public function testOneServersConnectionIsOpenedOncePerServer(): void
    {
        $fleet = $this->fleet(3);
        $redLock = new RedLock($fleet->specs(), 0, 1, ['clientName' => 'one-each']);
        for ($i = 0; $i < 20; ++$i) {
            $redLock->unlock(self::held($redLock, 'r'));
        }
        foreach ($fleet->servers as $server) {
            self::assertCount(1, self::named($server, 'one-each'));
        }
    }

    public function testAfterARestartThereIsExactlyOneConnectionAgain(): void
    {
        $server = $this->server();
        $redLock = self::redLock($server, 'restarted');
        self::held($redLock, 'r');
        // Whoever is hung up on as it tells its name tells it no more for a while.
        self::named($server, 'restarted');
        $server->restart();
        $again = static function () use ($redLock): bool {
            try {
                return $redLock->lock('r', 10_000) !== false;
            } catch (QuorumException) {
                return false;
            }
        };
        Wait::until($again, 'a lock from the restarted server');
        self::assertCount(1, self::named($server, 'restarted'));
    }

    public function testTheNumberOfDescriptorsStaysConstantOverManyTurns(): void
    {
        $code = '
            $descriptors = fn () => count(scandir("/proc/self/fd"));
            $turn = function () use ($args) {
                $r = new RedLock($args["servers"], 0, 1);
                $r->unlock($r->lock("r", 1000));
            };
            $turn();
            $before = $descriptors();
            for ($i = 0; $i < 500; ++$i) { $turn(); }
            report($descriptors() - $before);
        ';
        self::assertSame(0, PhpProcess::run($code, ['servers' => $this->fleet(3)->specs()]));
    }

    public function testTheNumberOfDescriptorsStaysConstantOverManyFailures(): void
    {
        $code = '
            $descriptors = fn () => count(scandir("/proc/self/fd"));
            $fail = function () use ($args) {
                try { (new RedLock($args["servers"], 0, 1))->lock("r", 1000); } catch (RedLock\QuorumException) {}
            };
            for ($i = 0; $i < 3; ++$i) { $fail(); }
            $before = $descriptors();
            for ($i = 0; $i < 100; ++$i) { $fail(); }
            report($descriptors() - $before);
        ';
        $servers = [['127.0.0.1', FreePort::find(), 0.01], $this->hostile('silence')->spec(0.01)];
        self::assertLessThanOrEqual(1, PhpProcess::run($code, ['servers' => $servers]));
    }

    public function testConnectionsAreClosedOnExecSoThatChildProgramsDoNotInheritThem(): void
    {
        $code = '
            $r = new RedLock($args["servers"], 0, 1);
            $r->lock("r", 10000);
            report(substr_count(shell_exec("ls -l /proc/self/fd/"), "socket:"));
        ';
        $servers = $this->fleet(3)->specs();
        $before = PhpProcess::run('report(substr_count(shell_exec("ls -l /proc/self/fd/"), "socket:"));');
        self::assertSame($before, PhpProcess::run($code, ['servers' => $servers]));
    }

    public function testTheConnectionsAreGoneWithTheProcess(): void
    {
        $server = $this->server();
        $code = '$r = new RedLock($args["servers"], 0, 1, ["clientName" => "gone"]); report($r->lock("r", 10000));';
        PhpProcess::run($code, ['servers' => [['127.0.0.1', $server->port]]]);
        Wait::until(static fn (): bool => self::clientIds($server, 'gone') === [], 'the connection to be closed');
        self::assertSame([], self::clientIds($server, 'gone'));
    }

    /**
     * Not among the C++ tests: their sanitizers open pipes of their own while they judge an exception.
     *
     * @testWith ["127.0.0.1"]
     *           ["localhost"]
     * @group real
     */
    public function testWithoutFreeDescriptorsItIsAQuorumExceptionAndAfterwardsAllIsWell(string $host): void
    {
        $specs = array_map(static fn (array $spec): array => [$host, ...array_slice($spec, 1)], $this->fleet(3)->specs());
        $code = '
            $r = new RedLock($args["servers"], 0, 1);
            $limit = posix_getrlimit()["hard openfiles"];
            posix_setrlimit(POSIX_RLIMIT_NOFILE, 3, $limit);
            try { $r->lock("r", 10000); report(null); }
            catch (RedLock\QuorumException $e) { report($e->getMessage()); }
            posix_setrlimit(POSIX_RLIMIT_NOFILE, 256, $limit);
            do {
                try { $lock = $r->lock("r", 10000); } catch (RedLock\QuorumException) { $lock = null; usleep(5000); }
            } while (!$lock);
            report($r->unlock($lock));
        ';
        $process = $this->php($code, ['servers' => $specs]);
        self::assertStringContainsString('Too many open files', (string) PhpProcess::report($process));
        self::assertTrue(PhpProcess::report($process));
    }

    public function testASubclassMayUnlockInItsDestructorAtTheEndOfTheScript(): void
    {
        $fleet = $this->fleet(3);
        $code = '
            final class Guard extends RedLock {
                public array $lock;
                public function __destruct() { report($this->unlock($this->lock)); }
            }
            $guard = new Guard($args["servers"], 0, 1);
            $guard->lock = $guard->lock("r", 60000);
        ';
        self::assertTrue(PhpProcess::run($code, ['servers' => $fleet->specs()]));
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the keys to be deleted');
    }

    public function testManyServersOverTimeDoNotExhaustAnything(): void
    {
        $code = '
            for ($port = 1; $port <= 600; ++$port) {
                try { (new RedLock([["127.0.0.1", $port, 0.01]], 0, 1))->lock("r", 1000); }
                catch (RedLock\QuorumException) {}
            }
            $r = new RedLock($args["servers"], 0, 1);
            report(is_array($r->lock("r", 1000)));
        ';
        self::assertTrue(PhpProcess::run($code, ['servers' => $this->fleet(3)->specs()]));
    }
}
