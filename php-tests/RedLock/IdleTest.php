<?php

/** Connections of long-lived workers: what the network has forgotten meanwhile is not used. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\ServerTestCase;

/** @group real */
final class IdleTest extends ServerTestCase
{
    /** The job takes longer than the network remembers a flow. */
    private const WORK = '
        ini_set("redlock.pool_idle_seconds", "1");
        $redLock = new RedLock($args["servers"], 0, 1);
        $handle = $redLock->lock("r", 60000);
        $began = hrtime(true);
        report($handle !== false);
        fgets(STDIN);
        usleep(max(0, 1_100_000 - intdiv(hrtime(true) - $began, 1000)));
        report($redLock->unlock($handle));
    ';

    public function testTheFirstCallAfterTheNetworkForgotTheConnectionsSucceeds(): void
    {
        $fleet = $this->fleet(3);
        $proxies = array_map($this->proxy(...), $fleet->servers);
        $servers = array_map(static fn($proxy): array => $proxy->spec(1.0), $proxies);
        $worker = $this->php(self::WORK, ['servers' => $servers]);
        self::assertTrue(PhpProcess::report($worker));
        foreach ($proxies as $proxy) {
            // What stands is forgotten without a word; what is opened from now on works.
            $proxy->halfOpen();
            $proxy->pass();
        }
        $worker->writeLine('go on');
        self::assertTrue(PhpProcess::report($worker));
        // The call returns with a majority; the third server hears of it a little later.
        self::assertTrue(Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the key to go everywhere'));
    }

    public function testAServerThatClosesIdleConnectionsCostsNoAttempt(): void
    {
        $fleet = $this->fleet(3, ['timeout' => '1']);
        $redLock = new RedLock($fleet->specs(), 5000, 2);
        foreach ($fleet->servers as $server) {
            $server->client()->call('SET', 'r', 'of somebody else', 'PX', '1000');
        }
        self::assertIsArray($redLock->lock('r', 10_000));
    }
}
