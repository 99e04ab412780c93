<?php

/** Leases that are kept alive while PHP does something else, and what happens when they are lost. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\LeaseLostException;
use RedLock\LockManager;
use RedLock\Tests\Support\LeaseTestCase;

final class KeepAliveTest extends LeaseTestCase
{
    private const KEPT = ['keepAlive' => true];
    private const KEPT_OR_THROWN = ['keepAlive' => true, 'interrupt' => true];

    /** Runs until it is interrupted, at most for so long. */
    private static function loop(float $seconds = 20.0): void
    {
        for ($end = Wait::now() + $seconds; Wait::now() < $end;) {
        }
    }

    public function testALeaseSurvivesASleepOfManyTtls(): void
    {
        $lease = self::leased(self::locks(), 'r', 300, self::KEPT);
        usleep(1_500_000);
        self::assertTrue($lease->isLive());
        self::assertGreaterThanOrEqual(2, self::votes($lease));
        self::assertTrue($lease->release());
        self::assertReleased();
    }

    public function testWithoutItDoesNot(): void
    {
        $lease = self::leased(self::locks(), 'r', 300);
        usleep(400_000);
        self::assertFalse($lease->isLive());
    }

    public function testManyLeasesSurvive(): void
    {
        $locks = self::locks();
        $leases = [];
        for ($i = 0; $i < 100; ++$i) {
            $leases[] = self::leased($locks, "r$i", 1000, self::KEPT);
        }
        usleep(3_000_000);
        self::assertSame(array_fill(0, 100, true), array_map(static fn ($lease) => $lease->confirm(), $leases));
    }

    /** @group real */
    public function testALeaseThatIsReleasedIsNotExtendedAnyMore(): void
    {
        $locks = self::locks();
        self::leased($locks, 'r', 300, self::KEPT)->release();
        self::assertReleased();
        self::$fleet->each(static fn ($client) => $client->call('CONFIG', 'RESETSTAT'));
        usleep(600_000);
        self::assertSame(0, self::$fleet->calls('eval') + self::$fleet->calls('evalsha'));
        self::assertSame(0, self::$fleet->keyCount());
    }

    public function testALeaseThatWasStolenIsNoticed(): void
    {
        $lease = self::leased(self::locks(), 'r', 3000, self::KEPT);
        self::steal();
        $began = Wait::now();
        Wait::until(static fn (): bool => !$lease->isLive(), 'the loss');
        self::assertLessThan(3.0, Wait::now() - $began, 'by an extend, and not by the end of the ttl');
        $error = self::caught(LeaseLostException::class, static fn () => $lease->assertLive());
        self::assertSame('the lease on \'r\' is lost: no majority of the servers has it', $error->getMessage());
        self::assertFalse($lease->release());
    }

    public function testALeaseWhoseServersAreSilentIsLostWhenItsTimeIsOver(): void
    {
        $fleet = $this->fleet(3);
        $lease = self::leased(new LockManager($fleet->specs(3, 0.1)), 'r', 1000, self::KEPT);
        array_map(static fn ($server) => $server->stop(), $fleet->servers);
        Wait::until(static fn (): bool => !$lease->isLive(), 'the loss');
        Wait::until(static function () use ($lease): bool {
            $error = self::caught(LeaseLostException::class, static fn () => $lease->assertLive());
            return str_starts_with($error->getMessage(), 'the lease on \'r\' is lost: ');
        }, 'the reason');
        self::assertSame(0.0, $lease->remaining());
    }

    public function testAServerThatIsAwayForAWhileCostsNothing(): void
    {
        $fleet = $this->fleet(3);
        $lease = self::leased(new LockManager($fleet->specs(3, 0.1)), 'r', 2000, self::KEPT);
        $fleet->servers[0]->stop();
        usleep(2_500_000);
        self::assertTrue($lease->isLive());
        $fleet->servers[0]->cont();
        self::assertTrue($lease->confirm());
    }

    public function testItIsKeptAtMostForKeepAliveMax(): void
    {
        $lease = self::leased(self::locks(3, ['keepAliveMax' => 900]), 'r', 300, self::KEPT);
        $began = Wait::now();
        Wait::until(static fn (): bool => !$lease->isLive(), 'the end');
        self::assertGreaterThan(0.5, Wait::now() - $began);
        self::assertLessThan(9.0, Wait::now() - $began);
    }

    public function testExtendByHandGoesBeyondTheKeeping(): void
    {
        $lease = self::leased(self::locks(3, ['keepAliveMax' => 300]), 'r', 300, self::KEPT);
        self::assertTrue($lease->extend(20_000));
        usleep(600_000);
        self::assertTrue($lease->isLive());
    }

    public function testInterruptEndsALoopThatCallsNothing(): void
    {
        $lease = self::leased(self::locks(), 'r', 300, self::KEPT_OR_THROWN);
        $error = self::caught(LeaseLostException::class, static function (): void {
            self::steal();
            while (true) {
            }
        });
        self::assertSame('the lease on \'r\' is lost: no majority of the servers has it', $error->getMessage());
        self::assertFalse($lease->isLive());
    }

    public function testInterruptIsThrownOnce(): void
    {
        $lease = self::leased(self::locks(), 'r', 300, self::KEPT_OR_THROWN);
        self::caught(LeaseLostException::class, static function (): void {
            self::steal();
            self::loop();
        });
        self::loop(0.5);
        self::assertFalse($lease->isLive());
    }

    public function testEveryLeaseThatIsLostIsThrown(): void
    {
        $locks = self::locks();
        $leases = [self::leased($locks, 'a', 300, self::KEPT_OR_THROWN), self::leased($locks, 'b', 300, self::KEPT_OR_THROWN)];
        $errors = [];
        $messages = static function () use (&$errors): array {
            $all = [];
            foreach ($errors as $error) {
                for (; $error !== null; $error = $error->getPrevious()) {
                    $all[] = $error->getMessage();
                }
            }
            return $all;
        };
        try {
            while (count($messages()) < 2) {
                try {
                    self::steal('a');
                    self::steal('b');
                    self::loop();
                    self::fail('a lease was lost, and nothing was thrown');
                } catch (LeaseLostException $error) {
                    $errors[] = $error;
                }
            }
        } catch (LeaseLostException $late) {   // while the first was looked at
            $errors[] = $late;
        }
        $thrown = $messages();
        self::assertCount(2, $thrown);
        sort($thrown);
        self::assertStringStartsWith('the lease on \'a\'', $thrown[0]);
        self::assertStringStartsWith('the lease on \'b\'', $thrown[1]);
        self::assertCount(2, $leases);
    }

    public function testInterruptEndsAWaitForAnotherLock(): void
    {
        $locks = self::locks();
        $held = self::leased(self::locks(), 'held');
        $lease = self::leased($locks, 'r', 300, self::KEPT_OR_THROWN);
        self::caught(LeaseLostException::class, static function () use ($locks): void {
            self::steal();
            $none = $locks->acquire('held', 1000, 60_000);
        });
        self::assertTrue($held->isLive());
        self::assertFalse($lease->isLive());
    }

    /** @group real */
    public function testInterruptWithoutKeepAliveNoticesTheEndAndExtendsNothing(): void
    {
        $lease = self::leased(self::locks(), 'r', 500, ['interrupt' => true]);
        self::$fleet->each(static fn ($client) => $client->call('CONFIG', 'RESETSTAT'));
        $began = Wait::now();
        $error = self::caught(LeaseLostException::class, static fn () => self::loop());
        self::assertSame('the lease on \'r\' is lost: its time is over', $error->getMessage());
        self::assertLessThan(5.0, Wait::now() - $began);
        self::assertSame(0, self::$fleet->calls('eval') + self::$fleet->calls('evalsha'));
        self::assertFalse($lease->isLive());
    }

    public function testInterruptWithoutKeepAliveKnowsOfAnExtendByHand(): void
    {
        $lease = self::leased(self::locks(), 'r', 300, ['interrupt' => true]);
        self::assertTrue($lease->extend(20_000));
        self::loop(1.0);
        self::assertTrue($lease->isLive());
    }

    /** @dataProvider waysToGo */
    public function testWhatIsNotHeldAnyMoreInterruptsNobody(\Closure $go): void
    {
        $lease = self::leased(self::locks(), 'r', 300, ['interrupt' => true]);
        $kept = $go($lease);
        unset($lease);
        self::loop(0.6);
        self::assertTrue(true, "nothing was thrown for $kept");
    }

    /** @return iterable<string, array{\Closure}> */
    public static function waysToGo(): iterable
    {
        yield 'released' => [static fn ($lease): string => $lease->release() ? 'it' : 'nothing'];
        yield 'detached' => [static fn ($lease): string => $lease->detach()['resource']];
        yield 'freed' => [static fn ($lease): string => 'an object'];
    }

    public function testAnAttachedLeaseIsKeptAliveAndInterrupts(): void
    {
        $handle = self::leased(self::locks(), 'r', 500)->detach();
        $lease = self::locks()->attach($handle, self::KEPT_OR_THROWN + ['ttl' => 500]);
        self::loop(1.5);
        self::assertTrue($lease->confirm());
        self::caught(LeaseLostException::class, static function (): void {
            self::steal();
            self::loop();
        });
    }

    /** @dataProvider jitSettings */
    public function testInterruptWorksUnderJit(string $jit): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"], ["timeout" => 0.5]);
            function spin(): int { $i = 0; while (true) { ++$i; } }
            $lease = $locks->acquire("r", 300, 0, ["interrupt" => true]);
            try {
                spin();
            } catch (RedLock\LeaseLostException $lost) {
                report($lost->getMessage());
            }
        ';
        $settings = ['opcache.enable_cli' => '1', 'opcache.jit_buffer_size' => '16M', 'opcache.jit' => $jit];
        // It is warned of.
        $settings += ['display_errors' => '0', 'log_errors' => '0'];
        $message = PhpProcess::run($code, ['servers' => self::$fleet->specs(3)], $settings);
        self::assertSame('the lease on \'r\' is lost: its time is over', $message);
    }

    /** @return iterable<string, array{string}> */
    public static function jitSettings(): iterable
    {
        yield 'tracing' => ['tracing'];
        yield 'function' => ['function'];
    }

    public function testWithoutAThreadItIsAnExceptionAndTheLockIsGivenBack(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"], ["timeout" => 0.5]);
            $lease = $locks->acquire("r");
            unset($lease);
            report("ready");
            fgets(STDIN);
            for ($files = []; $file = @fopen("/dev/null", "r"); $files[] = $file) {
            }
            try {
                $none = $locks->acquire("r", 10000, 5000, ["keepAlive" => true]);
            } catch (RedLock\KeepAliveException $error) {
                report($error->getMessage());
            }
        ';
        $process = $this->php($code, ['servers' => self::$fleet->specs(3)]);
        self::assertSame('ready', PhpProcess::report($process));
        // Without a descriptor there is no thread.
        exec("prlimit --pid=$process->pid --nofile=60", $output, $status);
        self::assertSame(0, $status, implode("\n", $output));
        $process->writeLine('go on');
        self::assertStringStartsWith('the lease cannot be kept alive: ', PhpProcess::report($process));
        self::assertReleased();
    }

    /** The handler's exception is what is caught, and the loss stands behind it. */
    public function testALossAndAHandlersExceptionInOneInterruptReachTheirHandler(): void
    {
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, static fn () => throw new \RuntimeException('from the handler'));
        self::leased(self::locks(), 'before');
        $lease = self::leased(self::locks(), 'r', 200, ['interrupt' => true]);
        $signal = proc_open(['sh', '-c', 'sleep 0.4; kill -USR1 ' . getmypid()], [], $pipes);
        $caught = null;
        try {
            // In one C function, so that both are there when it returns; a signal cuts the sleep short.
            while (Wait::now() > 0.0) {
                time_nanosleep(0, 900_000_000);
            }
        } catch (\Throwable $exception) {
            $caught = $exception;
        } finally {
            proc_close($signal);
            pcntl_signal(SIGUSR1, SIG_DFL);
            pcntl_async_signals(false);
        }
        self::assertFalse($lease->isLive());
        $chain = [];
        for ($link = $caught; $link !== null; $link = $link->getPrevious()) {
            $chain[] = $link::class;
        }
        self::assertContains(LeaseLostException::class, $chain);
    }

    public function testManyLossesInOneMomentAreThrownAsOneChain(): void
    {
        $locks = self::locks();
        $leases = [];
        for ($i = 0; $i < 200; ++$i) {
            $leases[] = self::leased($locks, "r$i", 1000, ['interrupt' => true]);
        }
        $thrown = 0;
        try {
            usleep(1_500_000);   // by its end all of them are lost
            self::loop();
        } catch (LeaseLostException $exception) {
            for ($link = $exception; $link !== null; $link = $link->getPrevious()) {
                ++$thrown;
            }
        }
        self::assertSame(200, $thrown);
    }

    public function testALeaseThatIsAttachedWithLittleTimeLeftIsKept(): void
    {
        $locks = self::locks();
        $handle = self::leased($locks, 'r', 60_000)->detach();
        $handle['validity'] = 1000.0;
        $lease = $locks->attach($handle, self::KEPT);
        usleep(1_500_000);
        self::assertTrue($lease->isLive());
    }

    public function testManyLeasesThatEndWhileServersStandStillWaitForThemOnce(): void
    {
        $locks = self::locks(3, ['timeout' => 0.3]);
        $leases = [];
        for ($i = 0; $i < 300; ++$i) {
            $leases[] = self::leased($locks, "r$i");
        }
        self::$fleet->servers[0]->stop();
        self::$fleet->servers[1]->stop();
        $began = Wait::now();
        $leases = [];
        $took = Wait::now() - $began;
        self::$fleet->servers[0]->cont()->ready();
        self::$fleet->servers[1]->cont()->ready();
        // Each of them waited for the timeout: 3 seconds and more.
        self::assertLessThan(3.0, $took);
    }
}
