<?php

/** Locks without an expiry: kept alive while somebody in this process has the object, and for a long ttl afterwards. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;

final class ForeverTest extends StoreTestCase
{
    public function testALockWithoutAnExpiryLivesForADay(): void
    {
        self::assertTrue($this->lock(seconds: 0)->get());
        self::assertGreaterThan(86_000_000, max(self::ttls()));
        self::assertFalse($this->lock(seconds: 0)->get());
    }

    public function testTheConfigurationSaysHowLongForeverIs(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'forever' => 600]);
        $this->lock(seconds: 0)->get();
        self::assertGreaterThan(500_000, max(self::ttls()));
        self::assertLessThanOrEqual(600_000, max(self::ttls()));
    }

    public function testHowLongForeverIsMayComeFromTheEnvironment(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'forever' => '600']);
        $this->lock(seconds: 0)->get();
        self::assertGreaterThan(500_000, max(self::ttls()));
        self::assertLessThanOrEqual(600_000, max(self::ttls()));
    }

    public function testItIsKeptAliveWhileItsObjectLives(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'forever' => 1]);
        $lock = $this->lock(seconds: 0);
        $lock->get();
        $end = Wait::now() + 2.5;
        Wait::until(function () use ($end): bool {
            self::assertTrue($this->lock()->isLocked(), 'it is to be locked all the time');
            return Wait::now() > $end;
        }, 'more than two lives of the lock');
        unset($lock);
        Wait::until(fn (): bool => !$this->lock()->isLocked(), 'the lock to expire');
    }

    public function testItsCloneDoesNotEndTheKeepAlive(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'forever' => 1]);
        $lock = $this->lock(seconds: 0);
        $lock->get();
        $copy = clone $lock;
        unset($copy);
        $end = Wait::now() + 2.5;
        Wait::until(static fn (): bool => Wait::now() > $end, 'more than two lives of the lock');
        self::assertTrue($lock->isOwnedByCurrentProcess());
    }

    public function testItOutlivesItsObjectAndItsProcess(): void
    {
        $this->lock('object', 0)->get();
        $process = $this->process('$lock = $cache->lock("r", 0); $lock->get(); report($lock->owner());');
        $owner = PhpProcess::report($process);
        self::assertSame(0, $process->wait());
        self::assertTrue($this->lock('object')->isLocked());
        self::assertTrue($this->lock()->isOwnedBy($owner));
    }

    public function testItOutlivesAFatalErrorOfItsProcess(): void
    {
        $process = $this->process('
            $lock = $cache->lock("r", 0);
            $lock->get();
            report($lock->owner());
            ini_set("display_errors", "0");
            trigger_error("end", E_USER_ERROR);
        ');
        $owner = PhpProcess::report($process);
        self::assertNotSame(0, $process->wait());
        self::assertTrue($this->lock()->isOwnedBy($owner));
    }

    public function testItIsReleasedByAnotherProcess(): void
    {
        $lock = $this->lock(seconds: 0);
        $lock->get();
        $worker = $this->process('report($cache->restoreLock("r", $args["owner"])->release());', ['owner' => $lock->owner()]);
        self::assertTrue(PhpProcess::report($worker));
        self::assertTrue($this->lock()->get());
        self::assertFalse($lock->release());
        self::assertTrue($this->lock()->isLocked());
    }

    public function testAForkedChildRestoresItToReleaseItAndItsOwnEndDoesNot(): void
    {
        $lock = $this->lock(seconds: 0);
        $lock->get();
        $process = $this->process('
            $lock = $cache->lock("r2", 0);
            $lock->get();
            if (($pid = pcntl_fork()) === 0) {
                exit;
            }
            pcntl_waitpid($pid, $status);
            report($cache->lock("r2")->isLocked());
            if (($pid = pcntl_fork()) === 0) {
                $cache->restoreLock("r2", $lock->owner())->release();
                exit;
            }
            pcntl_waitpid($pid, $status);
            report($cache->lock("r2")->isLocked());
        ');
        self::assertTrue(PhpProcess::report($process));
        self::assertFalse(PhpProcess::report($process));
        self::assertTrue($this->lock()->isLocked());
    }

    public function testARefreshOfItKeepsIt(): void
    {
        $lock = $this->lock(seconds: 0);
        $lock->get();
        self::assertTrue($lock->refresh());
        self::assertGreaterThan(86_000_000, max(self::ttls()));
        self::assertTrue($lock->release());
    }

    public function testARefreshByNothingMakesAnyLockOne(): void
    {
        $lock = $this->lock(seconds: 10);
        $lock->get();
        self::assertTrue($lock->refresh(0));
        self::assertGreaterThan(86_000_000, max(self::ttls()));
        self::assertFalse($this->lock()->get());
        self::assertTrue($lock->release());
        self::assertFalse($this->lock()->isLocked());
    }
}
