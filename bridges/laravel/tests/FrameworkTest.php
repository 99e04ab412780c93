<?php

/** What Laravel builds upon locks: tasks that do not overlap, tasks of one server, unique jobs, funnels. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use Illuminate\Bus\Queueable;
use Illuminate\Bus\UniqueLock;
use Illuminate\Cache\Limiters\LimiterTimeoutException;
use Illuminate\Console\Scheduling\CacheEventMutex;
use Illuminate\Console\Scheduling\CacheSchedulingMutex;
use Illuminate\Console\Scheduling\EventMutex;
use Illuminate\Console\Scheduling\Schedule;
use Illuminate\Console\Scheduling\SchedulingMutex;
use Illuminate\Contracts\Cache\Factory;
use Illuminate\Contracts\Cache\Repository;
use Illuminate\Contracts\Queue\ShouldBeUnique;
use Illuminate\Queue\Middleware\WithoutOverlapping;
use Illuminate\Support\Carbon;
use RedLock\Harness\PhpProcess;

final class FrameworkTest extends StoreTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->app->bind(EventMutex::class, fn (): EventMutex => new CacheEventMutex($this->app->make(Factory::class)));
        $this->app->bind(SchedulingMutex::class, fn (): SchedulingMutex => new CacheSchedulingMutex($this->app->make(Factory::class)));
    }

    public function testAScheduledTaskDoesNotOverlapItself(): void
    {
        $ran = [];
        $schedule = $this->schedule();
        $event = $schedule->call(function () use (&$ran, &$event): void {
            $ran[] = 'outer';
            self::assertTrue($event->mutex->exists($event));
            $event->run($this->app);
        })->name('report')->withoutOverlapping();
        $event->run($this->app);
        self::assertSame(['outer'], $ran);
        self::assertFalse($event->mutex->exists($event));
        $event->run($this->app);
        self::assertSame(['outer', 'outer'], $ran);
    }

    public function testAScheduledTaskThatAnotherProcessRunsIsSkipped(): void
    {
        $event = $this->schedule()->call(static fn () => null)->name('report')->withoutOverlapping(10);
        $other = $this->process('
            report($cache->getStore()->lock($args["name"], 600)->acquire());
            fgets(STDIN);
            $cache->getStore()->lock($args["name"], 600)->forceRelease();
            report("free");
        ', ['name' => $event->mutexName()]);
        self::assertTrue(PhpProcess::report($other));
        self::assertTrue($event->shouldSkipDueToOverlapping());
        $other->writeLine('go');
        self::assertSame('free', PhpProcess::report($other));
        self::assertFalse($event->shouldSkipDueToOverlapping());
    }

    public function testATaskForOneServerRunsOncePerMinute(): void
    {
        $schedule = $this->schedule();
        $event = $schedule->call(static fn () => null)->name('report')->onOneServer();
        // As a process of its own does, which has not yet asked.
        $runs = fn (string $time): bool => $this->schedule()->serverShouldRun(clone $event, Carbon::parse($time));
        self::assertTrue($runs('2026-01-01 10:00:00'));
        self::assertFalse($runs('2026-01-01 10:00:30'));
        self::assertTrue($runs('2026-01-01 10:01:00'));
        $key = $event->mutexName() . '1000';
        $found = [
            'a lock' => count(array_filter(self::$fleet->values("shop_$key", 3))) >= 2,
            'a value' => $this->app['cache']->store('array')->has($key),
        ];
        $locks = self::schedulerTakesLocks($this->app->version());
        self::assertSame(['a lock' => $locks, 'a value' => !$locks], $found);
    }

    /** As the README says it. */
    private static function schedulerTakesLocks(string $version): bool
    {
        return version_compare($version, (int) $version < 12 ? '11.45.2' : '12.22', '>=');
    }

    public function testAJobDoesNotOverlapItself(): void
    {
        $this->app->instance(Repository::class, $this->cache());
        $ran = [];
        $job = new class () {
            public int $released = 0;

            public function release(int $seconds): void
            {
                ++$this->released;
            }
        };
        $middleware = new WithoutOverlapping('order-42', 5, 60);
        $middleware->handle($job, static function (object $job) use (&$ran, $middleware): void {
            $ran[] = 'outer';
            (clone $middleware)->handle($job, static function () use (&$ran): void {
                $ran[] = 'inner';
            });
        });
        self::assertSame(['outer'], $ran);
        self::assertSame(1, $job->released);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testAUniqueJobIsDispatchedOnceUntilItIsDone(): void
    {
        $job = static fn (): object => new class () implements ShouldBeUnique {
            use Queueable;

            public string $uniqueId = '42';
        };
        $unique = new UniqueLock($this->cache());
        $dispatched = $job();
        self::assertTrue($unique->acquire($dispatched));
        self::assertFalse($unique->acquire($job()));
        $unique->release($dispatched);
        self::assertTrue($unique->acquire($job()));
    }

    public function testAFunnelLetsSoManyIn(): void
    {
        if (!method_exists($this->cache(), 'funnel')) {
            self::assertLessThan(12, (int) $this->app->version(), 'funnels came with Laravel 12');
            return;
        }
        $funnel = fn () => $this->cache()->funnel('report')->limit(2)->releaseAfter(60)->block(0);
        $busy = static fn (): string => 'busy';
        $third = static fn (): string => $funnel()->then(static fn (): string => 'in', $busy);
        $inner = static fn (): array => [$third(), self::caught(LimiterTimeoutException::class, static fn () => $funnel()->then($busy))::class];
        self::assertSame(
            ['busy', LimiterTimeoutException::class],
            $funnel()->then(static fn () => $funnel()->then($inner)),
        );
        self::assertSame('in', $third());
        self::caught(\DomainException::class, static fn () => $funnel()->then(static fn () => throw new \DomainException('enough')));
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    private function schedule(): Schedule
    {
        return new Schedule();
    }
}
