<?php

/** Getting a lease: at once, after a wait, or not. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\LeaseTestCase;

final class AcquireTest extends LeaseTestCase
{
    /** @dataProvider fleetSizes */
    public function testALeaseIsHeldByAMajority(int $servers): void
    {
        $start = Wait::now();
        $lease = self::leased(self::locks($servers), 'r', 20_000);
        self::assertGreaterThan($servers / 2, self::votes($lease));
        self::assertSame('r', $lease->resource);
        self::assertMatchesRegularExpression('/^[0-9a-f]{32}$/', $lease->token);
        self::assertTrue($lease->isLive());
        self::assertLessThanOrEqual(19_798.0, $lease->remaining());
        self::assertGreaterThanOrEqual(19_798.0 - (Wait::now() - $start) * 1000, $lease->remaining());
        $lease->assertLive();
    }

    public function testTheUsualTtlIsThirtySeconds(): void
    {
        $lease = self::locks(1)->acquire('r');
        self::assertGreaterThan(29_000, self::$fleet->servers[0]->client()->call('PTTL', 'r'));
        self::assertTrue($lease->isLive());
    }

    public function testAnIntResourceStaysAnInt(): void
    {
        $lease = self::leased(self::locks(), 42);
        self::assertSame(42, $lease->resource);
        self::assertSame(42, $lease->handle()['resource']);
        self::assertTrue($lease->release());
    }

    /** @group real */
    public function testOneServerMayBeAString(): void
    {
        $locks = new LockManager('redis://' . self::$fleet->servers[0]->name() . '?timeout=1');
        self::assertSame(1, self::votes($locks->acquire('r')));
    }

    public function testWhatSomebodyElseHasIsNull(): void
    {
        $held = self::leased(self::locks());
        $other = self::locks();
        self::assertNull($other->acquire('r', 1000));
        self::assertSame([], $other->lastErrors());
        self::assertTrue($held->confirm());
    }

    public function testTheOneWhoHasItCannotTakeItASecondTime(): void
    {
        $locks = self::locks();
        $lease = self::leased($locks);
        self::assertNull($locks->acquire('r', 1000));
        self::assertTrue($lease->isLive());
    }

    /** @dataProvider waits */
    public function testAWaitEndsWhenTheLockIsFree(?int $wait): void
    {
        self::held(new RedLock(self::$fleet->specs(3), 0, 1), 'r', 300);
        $lease = self::locks()->acquire('r', 10_000, $wait);
        self::assertInstanceOf(Lease::class, $lease);
    }

    /** @return iterable<string, array{?int}> */
    public static function waits(): iterable
    {
        yield 'with an end' => [20_000];
        yield 'for ever' => [null];
    }

    public function testAWaitThatIsOverIsNull(): void
    {
        $held = self::leased(self::locks());
        $seconds = self::secondsOf(static function (): void {
            self::assertNull(self::locks()->acquire('r', 1000, 300));
        });
        self::assertGreaterThanOrEqual(0.3, $seconds);
        self::assertLessThan(4.0, $seconds);
        self::assertTrue($held->isLive());
    }

    public function testAWaitEndsInTimeThoughTheServersAreSilent(): void
    {
        $fleet = $this->fleet(3);
        $fleet->servers[0]->stop();
        $fleet->servers[1]->stop();
        $locks = new LockManager($fleet->specs(3, 0.1), ['retryDelay' => 20, 'connectTimeout' => 0.1]);
        $seconds = self::secondsOf(static function () use ($locks): void {
            $error = self::caught(QuorumException::class, static fn () => $locks->acquire('r', 10_000, 400));
            self::assertSame(['timeout', 'timeout'], array_slice(array_values($error->faults()), 0, 2));
        });
        self::assertGreaterThanOrEqual(0.4, $seconds);
        self::assertLessThan(5.0, $seconds);
        self::assertGreaterThanOrEqual(2, count($locks->lastErrors()));
    }

    public function testAWaitOutlivesAnOutage(): void
    {
        $fleet = $this->fleet(1);
        $fleet->servers[0]->kill9();
        $locks = new LockManager($fleet->specs(), ['retryDelay' => 20]);
        self::caught(QuorumException::class, static fn () => $locks->acquire('r', 10_000));
        $fleet->servers[0]->restart();
        self::assertTrue($locks->acquire('r', 10_000, 20_000)->isLive());
    }

    public function testWhereNoMajorityCanBeAskedItIsAnException(): void
    {
        $fleet = $this->fleet(3);
        $fleet->servers[0]->kill9();
        $fleet->servers[1]->kill9();
        $locks = new LockManager($fleet->specs());
        $error = self::caught(QuorumException::class, static fn () => $locks->acquire('r', 10_000));
        self::assertMatchesRegularExpression(
            '~^RedLock\\\\LockManager::acquire\(\): no majority of 3 servers could be asked for \'r\' \(needs 2, tried for \d+ ms\): ~',
            $error->getMessage(),
        );
        self::assertSame(['refused', 'refused'], array_slice(array_values($error->faults()), 0, 2));
        self::assertSame(array_keys($error->faults()), array_keys($locks->lastErrors()));
    }

    public function testAnExceptionOfASignalHandlerEndsAWaitWithoutALock(): void
    {
        $held = self::leased(self::locks());
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, static fn () => throw new \DomainException('enough'));
        pcntl_alarm(1);
        try {
            self::caught(\DomainException::class, static fn () => self::locks()->acquire('r', 10_000, 60_000));
        } finally {
            pcntl_signal(SIGALRM, SIG_DFL);
        }
        self::assertTrue($held->release());
        self::assertReleased();
    }
}
