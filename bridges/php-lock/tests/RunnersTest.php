<?php

/** One mutex under which several run: processes that were forked inside, fibers, and code within code. */

declare(strict_types=1);

namespace RedLock\PhpLock\Tests;

use Malkusch\Lock\Exception\ExecutionOutsideLockException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;

final class RunnersTest extends MutexTestCase
{
    public function testAChildThatEndsTheCodeLeavesTheLockToItsParent(): void
    {
        $process = $this->process('
            $parent = getmypid();
            try {
                report($mutex->synchronized(static function () {
                    $child = pcntl_fork();
                    if ($child === 0) {
                        return "the child\'s";
                    }
                    pcntl_waitpid($child, $status);
                    return pcntl_wexitstatus($status);
                }));
            } catch (Malkusch\Lock\Exception\LockReleaseException $error) {
                if (getmypid() === $parent) {
                    throw $error;
                }
                exit($error->getCodeResult() === "the child\'s" && str_contains($error->getMessage(), "belongs to the parent") ? 7 : 8);
            }
        ');
        self::assertSame(7, PhpProcess::report($process));
    }

    #[DataProvider('ends')]
    public function testAChildThatEndsWithinTheCodeLeavesTheLockToItsParent(string $end): void
    {
        $process = $this->process('
            $other = new RedLock\PhpLock\RedLockMutex($args["servers"], "r", 0.0);
            report($mutex->synchronized(static function () use ($other) {
                $child = pcntl_fork();
                if ($child === 0) {
                    ' . $end . '
                }
                pcntl_waitpid($child, $status);
                try {
                    return $other->synchronized(static fn (): string => "free");
                } catch (Malkusch\Lock\Exception\LockAcquireTimeoutException) {
                    return "held";
                }
            }));
        ');
        self::assertSame('held', PhpProcess::report($process));
        self::assertSame(0, $process->wait());
    }

    /** @return iterable<string, array{string}> */
    public static function ends(): iterable
    {
        yield 'exit' => ['exit;'];
        yield 'an exception that nothing catches' => ['ini_set("display_errors", "0"); ini_set("log_errors", "0"); throw new DomainException("enough");'];
        yield 'a fatal error' => ['ini_set("display_errors", "0"); ini_set("log_errors", "0"); trigger_error("enough", E_USER_ERROR);'];
        yield 'SIGKILL' => ['posix_kill(getmypid(), SIGKILL);'];
    }

    public function testEachFiberHasALockOfItsOwn(): void
    {
        $mutex = self::mutex(5.0, 0.2);
        $run = static fn (string $result): \Fiber => new \Fiber(static fn () => $mutex->synchronized(static function () use ($result): string {
            \Fiber::suspend();
            return $result;
        }));
        $late = $run('late');
        $late->start();
        Wait::until(self::isFree(...), 'its end');
        $next = $run('next');
        $next->start();
        $error = self::caught(ExecutionOutsideLockException::class, $late->resume(...));
        self::assertSame('late', $error->getCodeResult());
        self::assertGreaterThanOrEqual(2, self::$fleet->keyCount(3));
        try {
            $next->resume();
            self::assertSame('next', $next->getReturn());
        } catch (ExecutionOutsideLockException) {
            // Where this machine has not run us for so long.
        }
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testCodeWithinCodeThatHasExpiredEndsItsOwnLock(): void
    {
        $mutex = self::mutex(5.0, 0.2);
        $error = self::caught(ExecutionOutsideLockException::class, static fn () => $mutex->synchronized(static function () use ($mutex): string {
            Wait::until(self::isFree(...), 'its end');
            return 'around ' . $mutex->synchronized(static fn (): string => 'inside');
        }));
        self::assertSame('around inside', $error->getCodeResult());
    }

    public function testACloneRunsUnderNoLockOfItsModel(): void
    {
        $mutex = self::mutex();
        $copy = $mutex->synchronized(static fn () => clone $mutex);
        self::assertSame('result', $copy->synchronized(static fn (): string => 'result'));
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testAFiberThatIsNeverResumedGivesItsLockBack(): void
    {
        $mutex = self::mutex();
        $fiber = new \Fiber(static fn () => $mutex->synchronized(static fn () => \Fiber::suspend()));
        $fiber->start();
        self::assertGreaterThanOrEqual(2, self::$fleet->keyCount(3));
        unset($fiber);
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'its release');
    }
}
