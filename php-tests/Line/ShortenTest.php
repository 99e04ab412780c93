<?php

/** Who stands in line for a lock that is shortened. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Tests\Support\LineTestCase;

final class ShortenTest extends LineTestCase
{
    /** It was told the old ttl when it came. */
    public function testWhoWaitedBeforeHasItSoonBehindTheShortTtl(): void
    {
        $lease = self::holding();
        $waiter = $this->waiterInLine();
        self::assertTrue($lease->shorten(500));
        $lease->detach();
        self::assertGot($waiter);
        self::giveBack($waiter);
        self::assertNothingIsLeft();
    }

    public function testWhoWaitedBeforeIsHandedItWhenItIsGivenBack(): void
    {
        $lease = self::holding();
        $waiter = $this->waiterInLine();
        self::assertTrue($lease->shorten(30_000));
        $lease->release();
        self::assertSame(1, self::assertGot($waiter)['handedOver']);
        self::giveBack($waiter);
        self::assertNothingIsLeft();
    }
}
