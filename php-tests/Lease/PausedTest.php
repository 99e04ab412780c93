<?php

/** Leases of a process that stood still (SIGSTOP, a container that is paused) and goes on. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\LeaseTestCase;

final class PausedTest extends LeaseTestCase
{
    public function testALeaseThatIsPausedWithItsProcessIsOverBeforeAnyCodeRunsOn(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"], ["timeout" => 0.5]);
            $lease = $locks->acquire("r", 500, 0, ["keepAlive" => true]);
            report($lease->isLive());
            fgets(STDIN);
            report($lease->isLive());
        ';
        $process = $this->php($code, ['servers' => self::$fleet->specs(3)]);
        self::assertTrue(PhpProcess::report($process));
        $process->signal(SIGSTOP);
        Wait::until(static fn (): bool => self::$fleet->keyCount() === 0, 'the end of the ttl');
        $process->writeLine('look');
        $process->signal(SIGCONT);
        self::assertFalse(PhpProcess::report($process));
    }

    /** @dataProvider stoppedLeases */
    public function testALeaseThatIsPausedWithItsProcessInterruptsAtOnce(bool $keptAlive): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"], ["timeout" => 0.5]);
            $lease = $locks->acquire("r", 5000, 0, ["keepAlive" => $args["kept"], "interrupt" => true]);
            report($lease->isLive());
            try {
                while (true) {
                    usleep(1000);
                }
            } catch (RedLock\LeaseLostException) {
                report(microtime(true));
            }
        ';
        $process = $this->php($code, ['servers' => self::$fleet->specs(3), 'kept' => $keptAlive]);
        self::assertTrue(PhpProcess::report($process));
        $process->signal(SIGSTOP);
        Wait::until(static fn (): bool => self::$fleet->keyCount() === 0, 'the end of the ttl');
        $wentOn = microtime(true);
        $process->signal(SIGCONT);
        self::assertLessThan(1.0, PhpProcess::report($process) - $wentOn, 'and not when the rest of its sleep is over, too');
    }

    /** @return iterable<string, array{bool}> */
    public static function stoppedLeases(): iterable
    {
        yield 'kept alive' => [true];
        yield 'not kept alive' => [false];
    }

    public function testALeaseWithTimeLeftIsExtendedWhenItsProcessGoesOn(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"], ["timeout" => 0.5]);
            $lease = $locks->acquire("r", 6000, 0, ["keepAlive" => true]);
            report($lease->isLive());
            fgets(STDIN);
            report($lease->isLive());
        ';
        $process = $this->php($code, ['servers' => self::$fleet->specs(3)]);
        self::assertTrue(PhpProcess::report($process));
        $process->signal(SIGSTOP);
        $left = static fn (): int => self::$fleet->each(static fn ($client) => $client->call('PTTL', 'r'), 1)[0];
        Wait::until(static fn (): bool => $left() < 1000, 'the last second of the ttl');
        $process->signal(SIGCONT);
        self::assertTrue(Wait::until(static fn (): bool => $left() > 5000, 'an extend', 0.9));
        $process->writeLine('look');
        self::assertTrue(PhpProcess::report($process));
    }
}
