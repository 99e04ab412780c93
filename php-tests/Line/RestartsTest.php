<?php

/** Servers that come back empty, one after the other, while one process keeps a lease alive and others wait for it. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\Tests\Support\LineTestCase;

final class RestartsTest extends LineTestCase
{
    /** @dataProvider crowds */
    public function testALeaseThatIsKeptAliveOutlivesARollingRestartThoughOthersWaitForIt(int $waiters): void
    {
        $fleet = $this->fleet(3);
        $locks = new LockManager($fleet->specs(3, 0.3));
        $locks->inspect('r');
        $lease = self::leased($locks, 'r', 3_000, ['keepAlive' => true]);
        $crowd = array_map(fn (): ChildProcess => $this->waiter(['servers' => $fleet->specs(3, 0.3)]), range(1, $waiters));
        self::awaitLine($waiters, 3, $fleet);
        foreach ($fleet->servers as $server) {
            $server->restart();
            $planted = static fn (): bool => $fleet->values('r') === [$lease->token, $lease->token, $lease->token];
            try {
                Wait::until($planted, 'the lease to be planted again', 20.0);
            } catch (\RuntimeException) {
                self::fail('what stands there hinders the planting: ' . json_encode($locks->inspect('r')));
            }
            foreach ($crowd as $waiter) {
                self::assertNull($waiter->pollLine());
            }
        }
        self::assertTrue($lease->confirm());
        $lease->release();
        Wait::until(static fn (): bool => array_filter($crowd, static fn (ChildProcess $waiter): bool => $waiter->pollLine() !== null) !== [], 'one of them to get it');
    }

    /** A server that has lost the lock is to be free for whoever plants it there, as often as somebody tries in vain. */
    public function testAnAttemptThatFailsHandsTheVoteOfOneServerToNobodyInLine(): void
    {
        $fleet = $this->fleet(3);
        $servers = $fleet->specs(3, 2.0);
        $lease = self::holding($servers);
        $waiter = $this->waiter(['servers' => $servers]);
        self::awaitLine(1, 3, $fleet);
        $client = $fleet->servers[2]->client();
        $client->call('DEL', 'r');
        $watcher = $fleet->servers[2]->client();
        $watcher->call('MONITOR');
        $locks = new LockManager($servers);
        $locks->inspect('r');
        foreach (range(1, 5) as $_) {
            self::assertNull($locks->acquire('r', 30_000));
            Wait::until(static fn (): bool => $client->call('GET', 'r') === null, 'the failed attempt to be undone');
        }
        $client->call('ECHO', 'seen');
        $lines = [];
        while (!str_contains($line = $watcher->reply(), '"ECHO" "seen"')) {
            $lines[] = $line;
        }
        self::assertCount(5, preg_grep('/\d\] "SET" "r"/', $lines), 'each attempt asked this server');
        self::assertNotSame([], preg_grep('/lua\] "PUBLISH" .*"next -2 /', $lines), 'whoever is the first may ask');
        self::assertSame([], array_values(preg_grep('/lua\] "SET" "r"/', $lines)));
        $free = Wait::now();
        $lease->release();
        self::assertLessThan(self::AT_ONCE, self::assertGot($waiter)['at'] - $free);
    }

    /** @return iterable<string, array{int}> */
    public static function crowds(): iterable
    {
        yield 'one' => [1];
        yield 'five' => [5];
    }
}
