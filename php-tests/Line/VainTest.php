<?php

/** What waiting does not help ends a wait, and an outage that is waited for is told once. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\LineTestCase;

final class VainTest extends LineTestCase
{
    /** Far below any end of these waits, and far above what it takes. */
    private const SECONDS_MAX = 20.0;

    /** Waits in a process of its own, where a wait that has no end does no harm. @param array<string, mixed> $args */
    private function assertInVain(array $args, string $fault): void
    {
        foreach ([true, false] as $inLine) {
            $process = $this->php('
                $locks = new RedLock\LockManager($args["servers"], ["line" => $args["line"]]);
                try {
                    $locks->synchronized("r", static fn () => null);
                } catch (RedLock\QuorumException $trouble) {
                    report(array_values($trouble->faults()));
                }
            ', $args + ['line' => $inLine]);
            $faults = json_decode($process->readLine(self::SECONDS_MAX), true);
            self::assertContains($fault, $faults, json_encode($faults, JSON_THROW_ON_ERROR));
        }
    }

    /** @return array{host: string, port: int, timeout: float} */
    private static function spec(RedisServer $server): array
    {
        return ['host' => '127.0.0.1', 'port' => $server->port, 'timeout' => 2.0];
    }

    public function testAWrongPasswordEndsAWaitWithoutEnd(): void
    {
        $servers = [];
        foreach ([1, 2, 3] as $unused) {
            $servers[] = self::spec($this->server(['requirepass' => 'right'])) + ['password' => 'wrong'];
        }
        $this->assertInVain(['servers' => $servers], 'auth');
    }

    public function testAnAclThatDeniesEndsAWaitWithoutEnd(): void
    {
        $server = $this->server([], ['user default on nopass ~* &* +@all -set']);
        $this->assertInVain(['servers' => [self::spec($server)]], 'denied by ACL');
    }

    public function testAPeerThatIsNoRedisEndsAWaitWithoutEnd(): void
    {
        $server = $this->hostile('html');
        $this->assertInVain(['servers' => [$server->spec(2.0)]], 'protocol');
    }

    public function testTlsThatDoesNotFitEndsAWaitWithoutEnd(): void
    {
        $server = $this->server();
        $this->assertInVain(['servers' => [self::spec($server) + ['tls' => ['cafile' => '/etc/hostname']]]], 'tls');
    }

    public function testAReplicaEndsAWaitWithoutEndOnceItHasStayedOne(): void
    {
        $master = $this->server();
        $replica = $this->server(['replicaof' => "127.0.0.1 $master->port"]);
        $this->assertInVain(['servers' => [self::spec($replica)]], 'readonly');
    }

    public function testAPasswordThatIsWrongFromNowOnEndsAWaitThatStandsInLine(): void
    {
        $server = $this->server(['requirepass' => 'right']);
        $spec = self::spec($server) + ['password' => 'right'];
        $held = self::holding([$spec]);
        $waiter = $this->waiter(['servers' => [$spec]]);
        $client = $server->client();
        $client->call('AUTH', 'right');
        Wait::until(static fn (): bool => $client->call('ZCARD', 'r:redlock:line') === 1, 'the waiter in line');
        $client->call('CONFIG', 'SET', 'requirepass', 'another');
        $client->call('CLIENT', 'KILL', 'TYPE', 'pubsub');
        $client->call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        $report = json_decode($waiter->readLine(self::SECONDS_MAX), true);
        self::assertStringContainsString('WRONGPASS', (string) $report['thrown']);
        unset($held);
    }

    /** The waits of all others go on. */
    public function testAReplicaThatIsPromotedInTimeIsWaitedFor(): void
    {
        $master = $this->server();
        $replica = $this->server(['replicaof' => "127.0.0.1 $master->port"]);
        $waiter = $this->waiter(['servers' => [self::spec($replica)]]);
        $refused = static fn (): bool => str_contains($replica->client()->call('INFO', 'errorstats'), 'READONLY');
        Wait::until($refused, 'the waiter to ask');
        $replica->client()->call('REPLICAOF', 'NO', 'ONE');
        self::assertGot($waiter);
        self::giveBack($waiter);
    }

    public function testMinoritiesInPermanentTroubleHarmNoWait(): void
    {
        $servers = [self::spec($this->server(['requirepass' => 'right'])) + ['password' => 'wrong']];
        array_push($servers, self::spec($this->server()), self::spec($this->server()));
        $held = self::leased(new LockManager($servers), 'r', 1_000);
        self::assertGot($this->waiter(['servers' => $servers]));
        unset($held);
    }

    public function testAnOutageThatIsWaitedForIsToldOnceEachTime(): void
    {
        $server = $this->server();
        $spec = self::spec($server);
        $server->kill9();
        $waiter = $this->php('
            $locks = new RedLock\LockManager([$args["server"]], ["onEvent" => static function (string $event, array $facts): void {
                report([$event, array_values($facts["faults"]), $facts["reason"], $facts["waited"]]);
            }]);
            report($locks->synchronized("r", static fn () => "done"));
        ', ['server' => $spec]);
        [$event, $faults, $reason, $waited] = json_decode($waiter->readLine(), true);
        self::assertSame(['unreachable', ['refused'], 'still waiting'], [$event, $faults, $reason]);
        self::assertGreaterThanOrEqual(1_000.0, $waited);
        $polled = Wait::now() + 1.5;
        Wait::until(static fn (): bool => Wait::now() > $polled, 'some more polls');
        self::assertNull($waiter->pollLine(), 'it is told once');
        $server->restart();
        self::assertSame('acquired', json_decode($waiter->readLine(), true)[0]);
    }

    public function testAWaitWithAnEndIsOverAtOnceToo(): void
    {
        $server = $this->server(['requirepass' => 'right']);
        $locks = new LockManager([self::spec($server) + ['password' => 'wrong']]);
        $seconds = self::secondsOf(static fn () => self::caught(QuorumException::class, static fn () => $locks->acquire('r', 10_000, 60_000)));
        self::assertLessThan(self::SECONDS_MAX, $seconds);
    }
}
