<?php

/** Every trouble is php-lock's own exception for it, and one after the code ran has what came of the code. */

declare(strict_types=1);

namespace RedLock\PhpLock\Tests;

use Malkusch\Lock\Exception\ExecutionOutsideLockException;
use Malkusch\Lock\Exception\LockAcquireException;
use Malkusch\Lock\Exception\LockAcquireTimeoutException;
use Malkusch\Lock\Exception\LockReleaseException;
use Malkusch\Lock\Exception\MutexException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\Fleet;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\PhpLock\RedLockMutex;
use RedLock\QuorumException;

final class ExceptionsTest extends MutexTestCase
{
    public function testCodeThatTakesLongerThanTheExpireTimeoutWasOutside(): void
    {
        $error = self::caught(ExecutionOutsideLockException::class, static fn () => self::mutex(1.0, 0.2)->synchronized(self::stay(0.25)));
        self::assertMatchesRegularExpression(
            '~^The code executed for 0\.\d+ seconds\. But the expire timeout is 0\.2 seconds\. '
            . 'The last 0\.\d+ seconds were executed outside of the lock\.$~',
            $error->getMessage(),
        );
        self::assertSame('result', $error->getCodeResult());
        self::assertNull($error->getCodeException());
    }

    public function testCodeThatEndsInTimeWasInside(): void
    {
        self::assertSame('result', self::mutex(1.0, 5.0)->synchronized(self::stay(0.2)));
    }

    public function testALockWithoutAnExpireTimeoutIsKeptForAsLongAsTheCodeRuns(): void
    {
        $mutex = self::mutex();
        $ttl = $mutex->synchronized(static fn (): int => max(self::ttls()));
        self::assertGreaterThan(20_000, $ttl);
        self::assertLessThanOrEqual(30_000, $ttl);
        // The thread that extends it, first after ten seconds.
        $threads = '
            $threads = static fn (): int => count(glob("/proc/self/task/*"));
            $before = $threads();
            report($mutex->synchronized(static fn (): int => $threads() - $before));
        ';
        self::assertSame(1, PhpProcess::report($this->process($threads)));
    }

    public function testCodeWhoseLockWasLostWasOutside(): void
    {
        $error = self::caught(ExecutionOutsideLockException::class, static fn () => self::mutex()->synchronized(static function (): string {
            self::steal();
            return 'result';
        }));
        self::assertSame('result', $error->getCodeResult());
        self::assertStringContainsString('lost', $error->getMessage());
    }

    public function testTheCodesExceptionIsInTheOneOfTheRelease(): void
    {
        $thrown = new \DomainException('enough');
        $error = self::caught(ExecutionOutsideLockException::class, static fn () => self::mutex()->synchronized(static function () use ($thrown): never {
            self::steal();
            throw $thrown;
        }));
        self::assertSame($thrown, $error->getCodeException());
        self::assertNull($error->getCodeResult());
    }

    public function testAReleaseThatNobodyConfirmsIsAFailedOne(): void
    {
        $fleet = $this->fleet(3);
        $mutex = new RedLockMutex($fleet->specs(), 'r');
        $error = self::caught(LockReleaseException::class, static fn () => $mutex->synchronized(static function () use ($fleet): string {
            self::down($fleet, 2);
            return 'result';
        }));
        self::assertNotInstanceOf(ExecutionOutsideLockException::class, $error);
        self::assertInstanceOf(QuorumException::class, $error->getPrevious());
        self::assertSame('result', $error->getCodeResult());
    }

    public function testWithoutAMajorityTheCodeIsNotRun(): void
    {
        $fleet = $this->fleet(3);
        self::down($fleet, 2);
        $mutex = new RedLockMutex($fleet->specs(), 'r', 0.0);
        $error = self::caught(LockAcquireException::class, static fn () => $mutex->synchronized(static fn () => self::fail('there is no lock')));
        self::assertNotInstanceOf(LockAcquireTimeoutException::class, $error);
        self::assertSame(MutexException::CODE_REDLOCK_NOT_ENOUGH_SERVERS, $error->getCode());
        self::assertInstanceOf(QuorumException::class, $error->getPrevious());
    }

    public function testAServerThatIsDownIsNotNoticed(): void
    {
        $fleet = $this->fleet(3);
        self::down($fleet, 1);
        self::assertSame('result', (new RedLockMutex($fleet->specs(), 'r'))->synchronized(self::stay(0.0)));
    }

    #[DataProvider('timeoutsThatAreNone')]
    public function testATimeoutThatIsNoneIsRefused(float $acquireTimeout, float $expireTimeout): void
    {
        $this->expectException(\InvalidArgumentException::class);
        new RedLockMutex(new LockManager('127.0.0.1'), 'r', $acquireTimeout, $expireTimeout);
    }

    /** @return iterable<string, array{float, float}> */
    public static function timeoutsThatAreNone(): iterable
    {
        yield 'a negative wait' => [-0.1, 1.0];
        yield 'a wait that is no number' => [NAN, 1.0];
        yield 'no time to expire' => [1.0, 0.0];
        yield 'an expiry that is no number' => [1.0, NAN];
        yield 'an expiry that no server can keep' => [1.0, 0.002];
    }

    public function testANameThatIsTooLongIsRefused(): void
    {
        self::assertSame('result', (new RedLockMutex(self::$fleet->specs(3), str_repeat('x', 65_518)))->synchronized(self::stay(0.0)));
        $this->expectException(\InvalidArgumentException::class);
        new RedLockMutex(self::$fleet->specs(3), str_repeat('x', 65_519));
    }

    public function testALockManagerThatKeepsNothingSoLongIsNoOutage(): void
    {
        $locks = new LockManager(self::$fleet->specs(3), ['keepAliveMax' => 10_000]);
        $mutex = new RedLockMutex($locks, 'r');
        $error = self::caught(LockAcquireException::class, static fn () => $mutex->synchronized(static fn () => self::fail('there is no lock')));
        self::assertSame(0, $error->getCode());
        self::assertStringContainsString('keepAliveMax', $error->getMessage());
    }

    public function testServersThatAnswerTooLateHaveNotLostTheLock(): void
    {
        $fleet = $this->fleet(3);
        $mutex = new RedLockMutex($fleet->specs(null, 0.2), 'r');
        $error = self::caught(LockReleaseException::class, static fn () => $mutex->synchronized(static function () use ($fleet): string {
            $fleet->standStill(2, 0.35);
            return 'result';
        }));
        self::assertNotInstanceOf(ExecutionOutsideLockException::class, $error);
        self::assertSame('result', $error->getCodeResult());
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the late release');
    }

    public function testWithAServerDownALockThatSomebodyElseGotIsKnownToBeLost(): void
    {
        $fleet = $this->fleet(3);
        $mutex = new RedLockMutex($fleet->specs(), 'r');
        self::caught(ExecutionOutsideLockException::class, static fn () => $mutex->synchronized(static function () use ($fleet): void {
            $fleet->servers[0]->kill9();
            foreach ([1, 2] as $i) {
                $fleet->servers[$i]->client()->call('SET', self::KEY, 'somebody', 'PX', 10_000);
            }
        }));
    }

    /** @param \Closure(Fleet): mixed $trouble of one of three servers */
    #[DataProvider('troubles')]
    public function testWithAServerInTroubleALockThatTheOthersDoNotHaveIsKnownToBeLost(\Closure $trouble): void
    {
        $fleet = $this->fleet(3);
        $mutex = new RedLockMutex($fleet->specs(), 'r');
        $error = self::caught(ExecutionOutsideLockException::class, static fn () => $mutex->synchronized(static function () use ($fleet, $trouble): string {
            $fleet->each(static fn ($client) => $client->call('DEL', self::KEY));
            $trouble($fleet);
            return 'result';
        }));
        self::assertSame('result', $error->getCodeResult());
    }

    /** @return iterable<string, array{\Closure(Fleet): mixed}> */
    public static function troubles(): iterable
    {
        yield 'down' => [static fn (Fleet $fleet) => $fleet->servers[0]->kill9()];
        yield 'silent' => [static fn (Fleet $fleet) => $fleet->servers[2]->stop()];
    }

    public function testWhereAServersSilenceLeavesItOpenTheReleaseHasFailed(): void
    {
        $fleet = $this->fleet(3);
        $mutex = new RedLockMutex($fleet->specs(), 'r');
        $error = self::caught(LockReleaseException::class, static fn () => $mutex->synchronized(static fn () => $fleet->leaveUndecided(self::KEY)));
        self::assertNotInstanceOf(ExecutionOutsideLockException::class, $error);
    }

    /** @return \Closure(): string code that is inside for so long */
    private static function stay(float $seconds): \Closure
    {
        return static function () use ($seconds): string {
            $end = Wait::now() + $seconds;
            while (Wait::now() < $end) {
                usleep(1_000);
            }
            return 'result';
        };
    }

    private static function down(Fleet $fleet, int $count): void
    {
        foreach (array_slice($fleet->servers, 0, $count) as $server) {
            $server->kill9();
        }
    }

    /** @return list<int> */
    private static function ttls(): array
    {
        return self::$fleet->each(static fn ($client): int => $client->call('PTTL', self::KEY), 3);
    }
}
