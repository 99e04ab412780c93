<?php

/** Waiters that can ask no majority of the servers: they are in nobody's way. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\Fleet;
use RedLock\Harness\FreePort;
use RedLock\LockManager;
use RedLock\Tests\Support\LineTestCase;

final class CutOffTest extends LineTestCase
{
    /** The fleet as somebody sees it who can reach one server of it. @return list<mixed> */
    private static function only(Fleet $fleet, int $reached): array
    {
        $servers = $fleet->specs(3, 0.3);
        foreach (array_keys($servers) as $i) {
            $servers[$i] = $i === $reached ? $servers[$i] : ['127.0.0.1', FreePort::find(), 0.3];
        }
        return $servers;
    }

    public function testTwoWhoReachOneServerEachDoNotKeepALockFromTheOthers(): void
    {
        $fleet = $this->fleet(3);
        $lease = self::holding($fleet->specs(3, 0.3));
        foreach ([0, 1] as $reached) {
            $this->waiter(['servers' => self::only($fleet, $reached), 'wait' => 60_000]);
        }
        self::awaitLines([1, 1, 0], $fleet);
        $waiter = $this->waiter(['servers' => $fleet->specs(3, 0.3)]);
        self::awaitLines([2, 2, 1], $fleet);
        $lease->release();
        self::assertGot($waiter);
        self::giveBack($waiter);
        self::assertNotNull((new LockManager($fleet->specs(3, 0.3)))->acquire('r', 30_000, 10_000), 'nor from those who come later');
    }

    public function testOneOfThemBesideAServerThatIsDownDoesNot(): void
    {
        $fleet = $this->fleet(3);
        $this->waiter(['servers' => self::only($fleet, 0), 'wait' => 60_000, 'ttl' => 3_000]);
        self::awaitLines([1, 0, 0], $fleet);
        $fleet->servers[2]->kill9();
        $lease = (new LockManager($fleet->specs(3, 0.3)))->acquire('r', 30_000, 20_000);
        self::assertNotNull($lease);
        self::assertTrue($lease->release());
    }
}
