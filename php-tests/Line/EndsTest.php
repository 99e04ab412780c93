<?php

/** How a wait ends without a lock, what goes on during it, and that nothing stays behind on any server. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\Tests\Support\LineTestCase;

final class EndsTest extends LineTestCase
{
    private const HANDLERS = '
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, fn () => report(["signal", hrtime(true) / 1e9]));
        pcntl_signal(SIGUSR2, fn () => throw new DomainException("enough"));
        pcntl_signal(SIGTERM, fn () => exit(3));
    ';

    private Lease $lease;

    protected function setUp(): void
    {
        parent::setUp();
        $this->lease = self::holding();
    }

    protected function tearDown(): void
    {
        unset($this->lease);
        parent::tearDown();
    }

    /** Only the lock of the one who holds it; then he gives it back, and nothing at all is left. */
    private function assertWaitLeftNothing(): void
    {
        $one = static fn (): bool => self::$fleet->keyCount(3) === 3;
        self::assertTrue(Wait::until($one, 'the lines to vanish'));
        self::assertTrue($this->lease->release());
        self::assertNothingIsLeft();
    }

    /** @dataProvider signals */
    public function testAHandlerRunsAtOnceAndTheWaitGoesOn(int $place): void
    {
        for ($before = 1; $before < $place; ++$before) {
            $this->waiterInLine($before);
        }
        $waiter = $this->waiterInLine($place, [], self::HANDLERS);
        for ($i = 0; $i < 3; ++$i) {
            $sent = Wait::now();
            $waiter->signal(SIGUSR1);
            [$what, $handled] = PhpProcess::report($waiter);
            self::assertSame('signal', $what);
            self::assertLessThan(self::AT_ONCE, $handled - $sent);
        }
        self::awaitLine($place);
        self::assertNull($waiter->pollLine());
    }

    /** @return iterable<string, array{int}> */
    public static function signals(): iterable
    {
        yield 'the first in line' => [1];
        yield 'the second' => [2];
    }

    public function testAHandlerRunsAtOnceWhereTheWaitIsOldAndSeldomWakes(): void
    {
        $waiter = $this->waiterInLine(1, [], self::HANDLERS);
        $wakes = static function () use ($waiter): int {
            $status = file_get_contents('/proc/' . $waiter->pid . '/status');
            return (int) preg_replace('~.*\nvoluntary_ctxt_switches:\s+(\d+).*~s', '$1', $status);
        };
        $look = [Wait::now(), $wakes()];
        Wait::until(static function () use (&$look, $wakes): bool {
            [$at, $before] = $look;
            if (Wait::now() < $at + 0.5) {
                return false;
            }
            $look = [Wait::now(), $wakes()];
            // A young one wakes 20 times in that.
            return $look[1] - $before <= 8;
        }, 'the wait to wake seldom');
        $sent = Wait::now();
        $waiter->signal(SIGUSR1);
        [, $handled] = PhpProcess::report($waiter);
        self::assertLessThan(self::AT_ONCE, $handled - $sent);
    }

    public function testAnExceptionOfAHandlerLeavesTheLine(): void
    {
        $waiter = $this->waiterInLine(1, [], self::HANDLERS);
        $sent = Wait::now();
        $waiter->signal(SIGUSR2);
        $report = PhpProcess::report($waiter);
        self::assertSame('DomainException: enough', $report['thrown']);
        self::assertLessThan(self::AT_ONCE, $report['at'] - $sent);
        $this->assertWaitLeftNothing();
    }

    public function testAnExitInAHandlerLeavesTheLine(): void
    {
        $waiter = $this->waiterInLine(1, [], self::HANDLERS);
        $waiter->signal(SIGTERM);
        self::assertSame(3, $waiter->wait());
        $this->assertWaitLeftNothing();
    }

    public function testAWaitThatIsOverLeavesTheLine(): void
    {
        $waiter = $this->waiter(['wait' => 700], 'report(hrtime(true) / 1e9);');
        $began = PhpProcess::report($waiter);
        self::awaitLine(1);
        $report = PhpProcess::report($waiter);
        self::assertSame([false, null, []], [$report['got'], $report['thrown'], $report['errors']]);
        self::assertGreaterThan(0.69, $report['at'] - $began);
        self::assertLessThan(0.7 + self::AT_ONCE, $report['at'] - $began);
        $this->assertWaitLeftNothing();
    }

    public function testAShortWaitIsNotLongerForStandingInLine(): void
    {
        foreach ([1, 5, 20] as $wait) {
            $waiter = $this->waiter(['wait' => $wait], 'report(hrtime(true) / 1e9);');
            $began = PhpProcess::report($waiter);
            $report = PhpProcess::report($waiter);
            self::assertSame([false, null], [$report['got'], $report['thrown']]);
            self::assertLessThan($wait / 1000 + self::AT_ONCE, $report['at'] - $began);
        }
        $this->assertWaitLeftNothing();
    }

    public function testMaxExecutionTimeEndsAWaitAndLeavesTheLine(): void
    {
        $waiter = $this->waiterInLine(1, [], 'set_time_limit(1);');
        self::assertSame(255, $waiter->wait());
        self::assertStringContainsString('Maximum execution time', self::lastWords($waiter));
        $this->assertWaitLeftNothing();
    }

    public function testMemoryThatRunsOutInAHandlerLeavesTheLine(): void
    {
        $greedy = 'pcntl_signal(SIGUSR1, function () { $text = str_repeat("x", 1 << 30); });';
        $waiter = $this->php(self::HANDLERS . $greedy . '
            $locks = new RedLock\LockManager($args["servers"]);
            $none = $locks->acquire("r", 30000, 60000);
        ', ['servers' => self::$fleet->specs(3, 2.0)], ['memory_limit' => '64M']);
        self::awaitLine(1);
        $waiter->signal(SIGUSR1);
        self::assertSame(255, $waiter->wait());
        self::assertStringContainsString('Allowed memory size', self::lastWords($waiter));
        $this->assertWaitLeftNothing();
    }

    public function testAForkDuringAWaitLeavesTheParentsPlaceAlone(): void
    {
        $waiter = $this->php(self::HANDLERS . '
            $locks = new RedLock\LockManager($args["servers"]);
            pcntl_signal(SIGUSR1, fn () => pcntl_fork());
            try {
                $lease = $locks->acquire("r", 30000, 60000);
                report([$lease->confirm(), $locks->stats()["handedOver"], hrtime(true) / 1e9]);
            } catch (RedLock\QuorumException $exception) {
                // What it asks for itself it gets on connections of its own.
                $own = $locks->acquire("own", 30000, 60000);
                report([$exception->getMessage(), $own->release(), $locks->acquire("r", 30000, 100)]);
            }
        ', ['servers' => self::$fleet->specs(3, 2.0)]);
        self::awaitLine(1);
        $waiter->signal(SIGUSR1);
        [$message, $released, $lease] = PhpProcess::report($waiter);
        self::assertStringContainsString('the process forked during the call', $message);
        self::assertSame([true, null], [$released, $lease]);
        self::awaitLine(1);
        $free = Wait::now();
        $this->lease->release();
        [$confirmed, $handedOver, $at] = PhpProcess::report($waiter);
        self::assertSame([true, 1], [$confirmed, $handedOver]);
        self::assertLessThan(self::AT_ONCE, $at - $free);
        self::assertNothingIsLeft();
    }

    public function testAHandlerMayWaitInLineItself(): void
    {
        $inner = self::HANDLERS . '
            pcntl_signal(SIGUSR1, function () use (&$locks) {
                report("inner");
                report($locks->acquire("other", 30000, 60000)->release());
            });
        ';
        $other = self::holding(null, 'other');
        $waiter = $this->waiterInLine(1, [], $inner);
        $waiter->signal(SIGUSR1);
        self::assertSame('inner', PhpProcess::report($waiter));
        $lines = static fn (): array => self::$fleet->each(static fn ($client): int => $client->call('ZCARD', 'other:redlock:line'), 3);
        Wait::until(static fn (): bool => $lines() === [1, 1, 1], 'the handler to wait in line');
        // The outer wait is served while its handler waits, and goes on afterwards.
        $this->lease->release();
        $other->release();
        self::assertTrue(PhpProcess::report($waiter));
        self::assertGot($waiter);
        self::giveBack($waiter);
        self::assertNothingIsLeft();
    }

    public function testWhoseTurnWentByInAHandlerThatWaitedItselfWaitsAgain(): void
    {
        $inner = self::HANDLERS . '
            pcntl_signal(SIGUSR1, function () use (&$locks) {
                report($locks->acquire("other", 30000, 60000)->release());
            });
        ';
        $other = self::holding(null, 'other');
        $waiter = $this->waiterInLine(1, ['ttl' => 1_500], $inner);
        $waiter->signal(SIGUSR1);
        $each = static fn (string ...$call): array => self::$fleet->each(static fn ($client): int => $client->call(...$call), 3);
        Wait::until(static fn (): bool => $each('ZCARD', 'other:redlock:line') === [1, 1, 1], 'the handler to wait in line');
        self::assertTrue($this->lease->release());
        Wait::until(static fn (): bool => $each('EXISTS', 'r') === [1, 1, 1], 'the outer wait to be handed the lock');
        Wait::until(static fn (): bool => $each('EXISTS', 'r') === [0, 0, 0], 'its time to go by');
        $other->release();
        self::assertTrue(PhpProcess::report($waiter));
        self::assertGot($waiter);
        self::giveBack($waiter);
        self::assertNothingIsLeft();
    }

    private static function lastWords(ChildProcess $process): string
    {
        $words = '';
        while (($line = $process->pollLine()) !== null) {
            $words .= "$line\n";
        }
        return $words;
    }
}
