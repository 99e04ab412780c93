<?php

/** A lock of a store with fences has a number. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use PHPUnit\Framework\Attributes\TestWith;

final class FenceTest extends StoreTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'fence' => true]);
    }

    #[TestWith([10])]
    #[TestWith([0])]
    public function testEachHolderHasALargerOneUntilItReleases(int $seconds): void
    {
        $before = 0;
        for ($i = 0; $i < 3; ++$i) {
            $lock = $this->lock(seconds: $seconds);
            self::assertNull($lock->fence());
            self::assertTrue($lock->get());
            self::assertGreaterThan($before, $lock->fence());
            $before = $lock->fence();
            self::assertTrue($lock->release());
            self::assertNull($lock->fence());
        }
    }

    public function testTheCodeOfBlockKnowsIt(): void
    {
        $lock = $this->lock();
        $fence = $lock->block(1, static fn (): ?int => $lock->fence());
        self::assertGreaterThan(0, $fence);
        self::assertGreaterThan($fence, $lock->block(1, static fn (): ?int => $lock->fence()));
    }

    public function testARefreshAndAnotherTryLeaveIt(): void
    {
        $lock = $this->lock(seconds: 10);
        $lock->get();
        $fence = $lock->fence();
        self::assertTrue($lock->refresh(60));
        self::assertFalse($lock->get());
        self::assertSame($fence, $lock->fence());
    }

    public function testWhoRestoresALockDoesNotKnowIt(): void
    {
        $lock = $this->lock();
        self::assertTrue($lock->get());
        self::assertNull($this->cache()->restoreLock('r', $lock->owner())->fence());
    }

    public function testAStoreWithoutTheSettingGivesNone(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3)]);
        $lock = $this->lock();
        self::assertTrue($lock->get());
        self::assertNull($lock->fence());
    }
}
