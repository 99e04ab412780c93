<?php

/** Others who listen on the servers: dashboards and the like that subscribe to patterns. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\LineTestCase;

final class StrangersTest extends LineTestCase
{
    public function testDoNotMakeTheDeadSeemAlive(): void
    {
        $fleet = $this->fleet(3);
        $strangers = array_map(static fn ($server): RespClient => $server->client(), $fleet->servers);
        foreach ($strangers as $stranger) {
            $stranger->call('PSUBSCRIBE', '*');
        }
        $servers = $fleet->specs(3, 2.0);
        $lease = self::holding($servers);
        $dead = [];
        foreach ([1, 2] as $place) {
            $dead[] = $this->waiter(['servers' => $servers]);
            self::awaitLine($place, 3, $fleet);
        }
        $waiter = $this->waiter(['servers' => $servers]);
        self::awaitLine(3, 3, $fleet);
        array_walk($dead, static fn ($process) => $process->kill());
        self::awaitSubscribers(1, $fleet);
        $free = Wait::now();
        $lease->release();
        self::assertLessThan(self::AT_ONCE, self::assertGot($waiter)['at'] - $free);
    }
}
