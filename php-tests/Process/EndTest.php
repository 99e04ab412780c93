<?php

/** What a process, or a request, was told to be released is released also when it ends right after. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\FaultProxy;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\ServerTestCase;

final class EndTest extends ServerTestCase
{
    private const RELEASE = '
        $redLock = new RedLock($args["servers"], 0, 1);
        report($redLock->unlock(["validity" => 1, "resource" => "r", "token" => "t"]));
    ';

    /** @var list<RedisServer> */
    private array $servers;
    private FaultProxy $proxy;

    /**
     * The third server confirms its database so late that the other two have decided long before.
     *
     * @return list<string>
     */
    private function withASlowThird(): array
    {
        $this->servers = $this->fleet(3)->servers;
        foreach ($this->servers as $server) {
            $client = $server->client();
            $client->call('SELECT', '1');
            $client->call('SET', 'r', 't');
        }
        $this->proxy = $this->proxy($this->servers[2]);
        $this->proxy->delay(60);
        $ports = [$this->servers[0]->port, $this->servers[1]->port, $this->proxy->port];
        return array_map(static fn(int $port): string => "redis://127.0.0.1:$port/1?timeout=5", $ports);
    }

    private function assertThirdIsReleased(): void
    {
        $client = $this->servers[2]->client();
        $client->call('SELECT', '1');
        Wait::until(static fn(): bool => $client->call('EXISTS', 'r') === 0, 'the release on the third server');
        self::assertSame(0, $client->call('EXISTS', 'r'));
    }

    public function testAProcessThatEndsRightAfterUnlockLeavesNoKeyOnAServerItWasStillConnectingTo(): void
    {
        self::assertTrue(PhpProcess::run(self::RELEASE, ['servers' => $this->withASlowThird()]));
        $this->assertThirdIsReleased();
    }

    public function testNorDoesOneWithoutPersistentConnections(): void
    {
        $args = ['servers' => $this->withASlowThird()];
        self::assertTrue(PhpProcess::run(self::RELEASE, $args, ['redlock.persistent' => '0']));
        $this->assertThirdIsReleased();
    }

    public function testNorDoesARequestThatEndsThoughItsConnectionsLiveOn(): void
    {
        $servers = $this->withASlowThird();
        $code = '
            $redLock = new RedLock(json_decode($_GET["servers"]), 0, 1);
            echo json_encode($redLock->unlock(["validity" => 1, "resource" => "r", "token" => "t"]));
        ';
        $web = $this->web($code);
        self::assertSame('true', $web->get(http_build_query(['servers' => json_encode($servers)])));
        $this->assertThirdIsReleased();
    }

    public function testAChildOfAForkThatEndsSendsNothingOfItsParents(): void
    {
        $servers = $this->withASlowThird();
        $code = '
            $redLock = new RedLock($args["servers"], 0, 1);
            $redLock->unlock(["validity" => 1, "resource" => "r", "token" => "t"]);
            $began = hrtime(true);
            if (($child = pcntl_fork()) === 0) {
                exit(0);
            }
            pcntl_waitpid($child, $status);
            report((hrtime(true) - $began) / 1e9);
            fgets(STDIN);
            posix_kill(getpid(), SIGKILL);
        ';
        $process = $this->php($code, ['servers' => $servers]);
        // A child that waited would do so for the five seconds of a server that answers its parent alone.
        self::assertLessThan(4.0, PhpProcess::report($process));
        $process->writeLine('end');
        $client = $this->servers[2]->client();
        $client->call('SELECT', '1');
        self::assertSame(1, $client->call('EXISTS', 'r'));
    }

    public function testAServerThatIsNotHeardOfDoesNotHoldUpTheEndForLongerThanItsTimeout(): void
    {
        $servers = $this->withASlowThird();
        $this->proxy->dropReplies();
        $servers[2] = str_replace('timeout=5', 'timeout=0.2', $servers[2]);
        $seconds = self::secondsOf(static function () use ($servers): void {
            self::assertTrue(PhpProcess::run(self::RELEASE, ['servers' => $servers]));
        });
        self::assertLessThan(4.0, $seconds);
    }
}
