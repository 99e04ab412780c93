<?php

/** A funnel of the cache is one line for permits, where Laravel has a lock for each place. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\Events\CacheHit;
use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;
use Illuminate\Cache\Limiters\LimiterTimeoutException;
use Illuminate\Cache\Repository;
use Illuminate\Contracts\Events\Dispatcher;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\PhpProcess;
use RedLock\Laravel\PermitLimiter;
use RedLock\LockManager;
use RedLock\QuorumException;

/** Laravel has them since 12. */
final class FunnelTest extends StoreTestCase
{
    public function testAPlaceIsAPermitOfTheName(): void
    {
        $this->funnel(1)->then(static function (): void {
            self::assertNotSame([], array_filter(self::$fleet->values('shop_report:redlock:slot:0', 3)));
            self::assertSame([], array_filter(self::$fleet->values('shop_report1', 3)));
        });
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testItSharesItsPlacesWithPermitsOfTheLockManager(): void
    {
        $permit = $this->app->make(LockManager::class)->acquirePermit('shop_report', 1);
        self::assertSame('busy', $this->funnel(1)->then(self::says('in'), self::says('busy')));
        self::assertTrue($permit->release());
        self::assertSame('in', $this->funnel(1)->then(self::says('in'), self::says('busy')));
    }

    public function testAWaitGetsThePlaceThatIsGivenBack(): void
    {
        $other = $this->process('
            $cache->funnel("report")->limit(1)->releaseAfter(60)->block(0)->then(function (): void {
                report("in");
                fgets(STDIN);
            });
        ');
        self::assertSame('in', PhpProcess::report($other));
        $waiter = $this->process('
            report("ready");
            report($cache->funnel("report")->limit(1)->releaseAfter(60)->block(30)->then(fn () => "got it", fn () => "too late"));
        ');
        self::assertSame('ready', PhpProcess::report($waiter));
        $locks = $this->app->make(LockManager::class);
        $deadline = hrtime(true) + 10_000_000_000;
        do {
            $waiters = $locks->inspect('shop_report:redlock:slot')['waiters'];
        } while ($waiters === 0 && hrtime(true) < $deadline);
        self::assertSame(1, $waiters);
        $other->writeLine('go');
        self::assertSame('got it', PhpProcess::report($waiter));
        self::assertSame(0, $waiter->wait());
    }

    public function testAWaitIsNoShorterThanItSays(): void
    {
        $this->funnel(1)->then(function (): void {
            $start = hrtime(true);
            self::assertSame('busy', $this->funnel(1)->block(1)->then(self::says('in'), self::says('busy')));
            self::assertGreaterThanOrEqual(1_000_000_000, hrtime(true) - $start);
        });
    }

    public function testTheFailureGetsTheException(): void
    {
        $failure = static fn (\Throwable $e): string => $e::class;
        self::assertSame(LimiterTimeoutException::class, $this->funnel(0)->then(self::says('in'), $failure));
    }

    public function testAPlaceIsFreeAfterItsSeconds(): void
    {
        $result = $this->funnel(1)->releaseAfter(1)->then(fn () => $this->funnel(1)->block(10)->then(self::says('in')));
        self::assertSame('in', $result);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testAPlaceWithoutAnExpiryIsKeptAlive(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'forever' => 1]);
        $inner = fn (): string => $this->funnel(1)->block(2)->then(self::says('in'), self::says('busy'));
        self::assertSame('busy', $this->funnel(1)->releaseAfter(0)->then($inner));
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testALimiterWithoutACallbackLeavesThePlaceTaken(): void
    {
        self::assertTrue((new PermitLimiter($this->cache()->getStore(), 'report', 1, 60))->block(0));
        self::assertSame('busy', $this->funnel(1)->then(self::says('in'), self::says('busy')));
    }

    /** @param \Closure(\Closure(): ConcurrencyLimiterBuilder): mixed $use gets what makes a funnel, and gives what came of it */
    #[DataProvider('uses')]
    public function testItDoesWhatLaravelsOwnDoes(\Closure $use): void
    {
        $outcome = static function (Repository $cache) use ($use): mixed {
            try {
                return $use(static fn (): ConcurrencyLimiterBuilder => $cache->funnel('report')->block(0));
            } catch (\Exception $error) {
                return $error::class;
            }
        };
        self::assertSame($outcome(new Repository(new ArrayStore())), $outcome($this->cache()));
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    /** @return iterable<string, array{\Closure}> */
    public static function uses(): iterable
    {
        yield 'null is returned' => [static fn (\Closure $funnel) => [$funnel()->limit(1)->then(static fn () => null)]];
        yield 'false is returned' => [static fn (\Closure $funnel) => $funnel()->limit(1)->then(static fn () => false)];
        yield 'an exception is thrown, and the place is free' => [static function (\Closure $funnel) {
            try {
                $funnel()->limit(1)->then(static fn () => throw new \DomainException());
            } catch (\DomainException) {
                return $funnel()->limit(1)->then(self::says('in'));
            }
        }];
        yield 'busy, without a failure' => [static fn (\Closure $funnel) => $funnel()->limit(1)->then(
            static fn () => $funnel()->limit(1)->then(self::says('in'))
        )];
        yield 'busy within, which is the failure of the outer one' => [static fn (\Closure $funnel) => $funnel()->limit(1)->then(
            static fn () => $funnel()->limit(1)->then(self::says('in')),
            self::says('failure')
        )];
        yield 'two of three' => [static fn (\Closure $funnel) => $funnel()->limit('2')->then(
            static fn () => $funnel()->limit(2)->then(static fn () => $funnel()->limit(2)->then(self::says('in'), self::says('busy')))
        )];
        yield 'a higher limit within' => [static fn (\Closure $funnel) => $funnel()->limit(1)->then(
            static fn () => $funnel()->limit(2)->then(self::says('in'), self::says('busy'))
        )];
        yield 'no limit' => [static fn (\Closure $funnel) => $funnel()->then(self::says('in'))];
        yield 'a wait below nothing' => [static fn (\Closure $funnel) => $funnel()->limit(1)->block(-1)->then(self::says('in'))];
        yield 'an interval' => [static fn (\Closure $funnel) => $funnel()->limit(1)->releaseAfter(new \DateInterval('PT60S'))->then(self::says('in'))];
        yield 'a pause' => [static fn (\Closure $funnel) => $funnel()->limit(1)->sleep(10)->then(self::says('in'))];
    }

    public function testAChildThatLeavesTheCallbackFreesNothing(): void
    {
        $process = $this->process('
            $parent = getmypid();
            $cache->funnel("report")->limit(1)->releaseAfter(60)->block(0)->then(function () use (&$child): void {
                $child = pcntl_fork();
                if ($child > 0) {
                    pcntl_waitpid($child, $status);
                    $locks = app(RedLock\LockManager::class);
                    report($locks->inspect("shop_report:redlock:slot:0")["token"] !== null);
                }
            });
        ');
        self::assertTrue(PhpProcess::report($process));
        self::assertSame(0, $process->wait());
    }

    public function testBusyAndDownAreTwoAnswers(): void
    {
        $this->app = self::application(['servers' => ['127.0.0.1:1']]);
        self::caught(QuorumException::class, fn () => $this->funnel(1)->then(self::says('in'), self::says('busy')));
    }

    public function testMorePermitsThanThereAreSlotsAreRefused(): void
    {
        $error = self::caught(\ValueError::class, fn () => $this->funnel(1025)->then(self::says('in')));
        self::assertStringContainsString('($permits)', $error->getMessage());
    }

    public function testTheCacheStillTellsOfItsEvents(): void
    {
        $hits = 0;
        $this->app->make(Dispatcher::class)->listen(CacheHit::class, static function () use (&$hits): void {
            ++$hits;
        });
        $this->cache()->put('k', 'v');
        self::assertSame('v', $this->cache()->get('k'));
        self::assertSame(1, $hits);
    }

    public function testBesideLaravelsOwnDriverAFunnelIsItsLocks(): void
    {
        $this->app = self::application(
            ['compatible_with' => 'redis'],
            self::connections('predis', ['cache' => []]),
        );
        $own = $this->app['cache']->store('redis')->funnel('report')->limit(1)->releaseAfter(60)->block(0);
        $own->then(fn () => self::assertSame('busy', $this->funnel(1)->then(self::says('in'), self::says('busy'))));
        self::assertSame('in', $this->funnel(1)->then(self::says('in'), self::says('busy')));
    }

    private function funnel(int $places): ConcurrencyLimiterBuilder
    {
        return $this->cache()->funnel('report')->limit($places)->releaseAfter(60)->block(0);
    }

    private static function says(string $word): \Closure
    {
        return static fn (): string => $word;
    }
}
