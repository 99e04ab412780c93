<?php

/** The option reentrant: one lock, several Lease objects, and the last of them releases it. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Tests\Support\LeaseTestCase;

final class ReentrantTest extends LeaseTestCase
{
    private const AGAIN = ['reentrant' => true];

    /** @group real */
    public function testASecondAcquisitionSharesTheLockWithoutAsking(): void
    {
        $locks = self::locks();
        $first = self::leased($locks, 'r', 10_000, self::AGAIN);
        $calls = self::$fleet->calls('set');
        $second = self::leased($locks, 'r', 10_000, self::AGAIN);
        self::assertNotSame($first, $second);
        self::assertSame([$first->token, 'r'], [$second->token, $second->resource]);
        self::assertSame($calls, self::$fleet->calls('set'));
        self::assertTrue($second->isLive());
    }

    public function testTheLastReleaseReleases(): void
    {
        $locks = self::locks();
        $first = self::leased($locks, 'r', 10_000, self::AGAIN);
        $second = self::leased($locks, 'r', 10_000, self::AGAIN);
        self::assertTrue($first->release());
        self::assertFalse($first->isLive());
        self::assertFalse($first->release(), 'it counts once');
        self::assertTrue($second->confirm());
        self::assertTrue($second->release());
        self::assertReleased();
        self::assertNotSame($second->token, self::leased($locks, 'r', 10_000, self::AGAIN)->token);
    }

    public function testTheLastScopeReleases(): void
    {
        $locks = self::locks();
        $deep = static function (int $depth) use (&$deep, $locks): void {
            $lease = self::leased($locks, 'r', 10_000, self::AGAIN);
            if ($depth > 0) {
                $deep($depth - 1);
            }
            self::assertTrue($lease->confirm());
        };
        $deep(5);
        self::assertReleased();
    }

    public function testBothHaveToAskForIt(): void
    {
        $locks = self::locks();
        $first = self::leased($locks, 'a', 10_000, self::AGAIN);
        self::assertNull($locks->acquire('a'));
        $second = self::leased($locks, 'b');
        self::assertNull($locks->acquire('b', 1000, 0, self::AGAIN));
        self::assertTrue($first->isLive() && $second->isLive());
    }

    public function testAnotherManagerOwnerOrResourceIsAnother(): void
    {
        $locks = self::locks();
        $first = self::leased($locks, 'r', 10_000, self::AGAIN + ['owner' => 'a']);
        self::assertNull(self::locks()->acquire('r', 1000, 0, self::AGAIN + ['owner' => 'a']));
        self::assertNull($locks->acquire('r', 1000, 0, self::AGAIN + ['owner' => 'b']));
        self::assertNull($locks->acquire('r', 1000, 0, self::AGAIN));
        self::assertNotSame($first->token, self::leased($locks, 's', 1000, self::AGAIN + ['owner' => 'a'])->token);
        self::assertSame($first->token, self::leased($locks, 'r', 1000, self::AGAIN + ['owner' => 'a'])->token);
    }

    public function testALeaseThatIsLostIsNotShared(): void
    {
        $locks = self::locks();
        $first = self::leased($locks, 'r', 10_000, self::AGAIN);
        self::steal();
        self::assertFalse($first->confirm());
        $second = self::leased($locks, 'r', 10_000, self::AGAIN);
        self::assertNotSame($first->token, $second->token);
        unset($first);
        self::assertTrue($second->confirm());
        self::assertSame($second->token, self::leased($locks, 'r', 10_000, self::AGAIN)->token, 'it is still known');
    }

    public function testTheSecondIsJudgedLikeTheFirst(): void
    {
        $locks = self::locks(3, ['keepAliveMax' => 5000]);
        $first = self::leased($locks, 'r', 10_000, self::AGAIN);
        $error = self::caught(\ValueError::class, static fn () => $locks->acquire('r', -5, 0, self::AGAIN));
        self::assertStringContainsString('($ttl)', $error->getMessage());
        $kept = self::AGAIN + ['keepAlive' => true];
        $error = self::caught(\ValueError::class, static fn () => $locks->acquire('r', 1000, 0, $kept));
        self::assertStringContainsString('needs a lock with a ttl of at most keepAliveMax, 5000 ms', $error->getMessage());
        self::assertTrue($first->confirm());
        self::assertTrue($first->release());
    }

    public function testTheSecondMayAskForItToBeKeptAlive(): void
    {
        $locks = self::locks();
        $first = self::leased($locks, 'r', 300, self::AGAIN);
        $second = self::leased($locks, 'r', 300, self::AGAIN + ['keepAlive' => true]);
        usleep(1_000_000);
        self::assertTrue($first->isLive() && $second->isLive());
        self::assertTrue($first->release() && $second->release());
    }

    public function testOneOfThemThatIsDetachedLeavesTheLockToTheHandle(): void
    {
        $locks = self::locks();
        $first = self::leased($locks, 'r', 10_000, self::AGAIN);
        $second = self::leased($locks, 'r', 10_000, self::AGAIN);
        $handle = $first->detach();
        self::assertTrue($second->isLive());
        unset($second);
        self::assertTrue($locks->attach($handle)->confirm());
    }
}
