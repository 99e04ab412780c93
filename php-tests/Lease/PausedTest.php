<?php

/** Leases of a process that stood still (SIGSTOP, a container that is paused) and goes on. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\LeaseTestCase;

/** @group real */
final class PausedTest extends LeaseTestCase
{
    private const LOOKS = 'fgets(STDIN); report($lease->isLive());';
    private const IS_INTERRUPTED = '
        try {
            while (true) {
                usleep(1000);
            }
        } catch (RedLock\LeaseLostException) {
            report(microtime(true));
        }
    ';

    /**
     * Has taken a lease, and stands still.
     *
     * @param array<string, bool> $options
     */
    private function paused(int $ttl, array $options, string $code): ChildProcess
    {
        $takes = '
            $locks = new RedLock\LockManager($args["servers"], ["timeout" => 0.5]);
            $lease = $locks->acquire("r", $args["ttl"], 0, $args["options"]);
            report($lease->isLive());
        ';
        $process = $this->php($takes . $code, ['servers' => self::$fleet->specs(3), 'ttl' => $ttl, 'options' => $options]);
        self::assertTrue(PhpProcess::report($process));
        $process->signal(SIGSTOP);
        return $process;
    }

    private static function awaitTheEndOfTheTtl(): void
    {
        Wait::until(static fn (): bool => self::$fleet->keyCount() === 0, 'the end of the ttl');
    }

    public function testALeaseThatIsPausedWithItsProcessIsOverBeforeAnyCodeRunsOn(): void
    {
        $process = $this->paused(500, ['keepAlive' => true], self::LOOKS);
        self::awaitTheEndOfTheTtl();
        $process->writeLine('look');
        $process->signal(SIGCONT);
        self::assertFalse(PhpProcess::report($process));
    }

    /** @dataProvider keptOrNot */
    public function testALeaseThatIsPausedWithItsProcessInterruptsAtOnce(bool $keptAlive): void
    {
        $process = $this->paused(5000, ['keepAlive' => $keptAlive, 'interrupt' => true], self::IS_INTERRUPTED);
        self::awaitTheEndOfTheTtl();
        $wentOn = microtime(true);
        $process->signal(SIGCONT);
        self::assertLessThan(1.0, PhpProcess::report($process) - $wentOn, 'and not when the rest of its sleep is over, too');
    }

    /** @return iterable<string, array{bool}> */
    public static function keptOrNot(): iterable
    {
        yield 'kept alive' => [true];
        yield 'not kept alive' => [false];
    }

    public function testALeaseWithTimeLeftIsExtendedWhenItsProcessGoesOn(): void
    {
        $process = $this->paused(6000, ['keepAlive' => true], self::LOOKS);
        $left = static fn (): int => self::$fleet->each(static fn ($client) => $client->call('PTTL', 'r'), 1)[0];
        Wait::until(static fn (): bool => $left() < 1000, 'the last second of the ttl');
        $process->signal(SIGCONT);
        self::assertTrue(Wait::until(static fn (): bool => $left() > 5000, 'an extend', 0.9));
        $process->writeLine('look');
        self::assertTrue(PhpProcess::report($process));
    }
}
