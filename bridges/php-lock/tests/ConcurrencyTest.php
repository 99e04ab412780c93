<?php

/** Several processes with one mutex: one at a time, and nobody waits longer than for those before it. */

declare(strict_types=1);

namespace RedLock\PhpLock\Tests;

use Malkusch\Lock\Exception\LockAcquireException;
use Malkusch\Lock\Exception\LockAcquireTimeoutException;
use RedLock\DeadlockException;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\PhpLock\RedLockMutex;

final class ConcurrencyTest extends MutexTestCase
{
    public function testProcessesDoNotLoseEachOthersWork(): void
    {
        [$processes, $turns] = [8, 50];
        $file = TempFolder::make() . '/count';
        file_put_contents($file, '0');
        $code = '
            for ($i = 0; $i < $args["turns"]; ++$i) {
                $mutex->synchronized(static fn () => file_put_contents($args["file"], file_get_contents($args["file"]) + 1));
            }
            report("done");
        ';
        $started = [];
        for ($i = 0; $i < $processes; ++$i) {
            $started[] = $this->process($code, ['file' => $file, 'turns' => $turns]);
        }
        foreach ($started as $process) {
            self::assertSame('done', PhpProcess::report($process));
        }
        self::assertSame((string) ($processes * $turns), file_get_contents($file));
    }

    public function testProcessesAreInsideOneAfterTheOther(): void
    {
        $code = '
            report($mutex->synchronized(static function (): array {
                $in = hrtime(true);
                usleep(100000);
                return [$in, hrtime(true)];
            }));
        ';
        $processes = [];
        for ($i = 0; $i < 4; ++$i) {
            $processes[] = $this->process($code);
        }
        $stays = array_map(PhpProcess::report(...), $processes);
        usort($stays, static fn (array $a, array $b): int => $a[0] <=> $b[0]);
        for ($i = 1; $i < count($stays); ++$i) {
            self::assertGreaterThanOrEqual($stays[$i - 1][1], $stays[$i][0]);
        }
    }

    public function testAWaitEndsWithItsTimeoutAndWithoutTheCode(): void
    {
        $holder = $this->process('$mutex->synchronized(static function (): void { report("inside"); fgets(STDIN); });');
        self::assertSame('inside', PhpProcess::report($holder));
        $mutex = self::mutex(0.5);
        $start = Wait::now();
        $error = self::caught(
            LockAcquireTimeoutException::class,
            static fn () => $mutex->synchronized(static fn () => self::fail('somebody else has the lock')),
        );
        self::assertGreaterThanOrEqual(0.5, Wait::now() - $start);
        self::assertSame('Lock acquire timeout of 0.5 seconds has been exceeded', $error->getMessage());
        $holder->writeLine('go');
        self::assertSame(0, $holder->wait());
        self::assertTrue($mutex->synchronized(static fn (): bool => true));
    }

    public function testTheSameMutexWithinItselfWaitsInVain(): void
    {
        $mutex = self::mutex(0.2);
        $inner = $mutex->synchronized(static fn (): \Throwable => self::caught(
            LockAcquireTimeoutException::class,
            static fn () => $mutex->synchronized(static fn () => self::fail('it is taken')),
        ));
        self::assertInstanceOf(LockAcquireTimeoutException::class, $inner);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testWithoutAnEndTheSameMutexWithinItselfThrows(): void
    {
        $mutex = self::mutex(\INF);
        $error = self::caught(LockAcquireException::class, static fn () => $mutex->synchronized(
            static fn () => $mutex->synchronized(static fn () => self::fail('it would never end')),
        ));
        self::assertInstanceOf(DeadlockException::class, $error->getPrevious());
    }

    public function testAHandlerEndsAWait(): void
    {
        $mutex = self::mutex();
        $mutex->synchronized(function (): void {
            $waiter = $this->process('
                pcntl_async_signals(true);
                pcntl_signal(SIGTERM, static fn () => RedLock\LockManager::cancelWaits());
                $mutex = new RedLock\PhpLock\RedLockMutex($args["servers"], "r", INF);
                report("waiting");
                try {
                    $mutex->synchronized(static fn () => report("inside"));
                } catch (Malkusch\Lock\Exception\LockAcquireTimeoutException $error) {
                    report($error->getMessage());
                }
            ');
            self::assertSame('waiting', PhpProcess::report($waiter));
            $locks = new LockManager(self::$fleet->specs(3));
            Wait::until(static fn (): bool => $locks->inspect(self::KEY)['waiters'] === 1, 'one in line');
            posix_kill($waiter->pid, \SIGTERM);
            self::assertStringContainsString('cancelled', PhpProcess::report($waiter));
        });
    }

    public function testWhatWaitingDoesNotHelpEndsAWaitWithoutAnEnd(): void
    {
        $server = $this->server(['requirepass' => 'secret']);
        $mutex = new RedLockMutex([['host' => '127.0.0.1', 'port' => $server->port, 'password' => 'wrong', 'timeout' => 2]], 'r', \INF);
        $error = self::caught(LockAcquireException::class, static fn () => $mutex->synchronized(static fn () => self::fail('there is no lock')));
        self::assertContains('auth', $error->getPrevious()->faults());
    }

    public function testARedisMutexOfTheSameNameIsExcluded(): void
    {
        // As php-lock's RedisMutex takes it.
        self::$fleet->each(static fn ($client) => $client->call('SET', self::KEY, 'somebody', 'NX', 'PX', '60000'), 3);
        self::caught(LockAcquireTimeoutException::class, static fn () => self::mutex(0.0)->synchronized(static fn () => self::fail('it is taken')));
    }

    public function testAProcessThatEndsInsideGivesTheLockBack(): void
    {
        $process = $this->process('$mutex->synchronized(static function (): void { report("inside"); exit; });');
        self::assertSame('inside', PhpProcess::report($process));
        self::assertSame(0, $process->wait());
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the lock to be released');
        self::assertTrue(self::mutex(0.0)->synchronized(static fn (): bool => true));
    }
}
