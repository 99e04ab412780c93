<?php

/** What a lease was told: by nobody but the servers that it asked, whatever runs in between. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\LockManager;
use RedLock\Tests\Support\ServerTestCase;

final class LastErrorsTest extends ServerTestCase
{
    /** Something that waits to be collected, with a destructor. */
    private const GARBAGE = '
        final class Garbage
        {
            public static array $kept = [];
            private Garbage $itself;
            public function __construct(private Closure $runs) { $this->itself = $this; }
            public function __destruct() { ($this->runs)(); }
        }
        $locks = new RedLock\LockManager($args["servers"]);
    ';

    /** PHP collects as soon as so many more arrays and objects are let go of that others still have. */
    private const FILL = '
        for ($i = 0; gc_status()["roots"] < gc_status()["threshold"] - 1 - $args["later"]; ++$i) {
            $root = [$i];
            $again = $root;
            Garbage::$kept[] = $root;
            unset($again);
        }
    ';

    public function testOtherCallsMeanwhileDoNotChangeIt(): void
    {
        $fleet = $this->fleet(3);
        $locks = null;
        $asks = static function () use (&$locks): void {
            $locks?->inspect('another');
        };
        $locks = new LockManager($fleet->specs(null, 2.0), ['onEvent' => $asks]);
        $lease = $locks->acquire('r', 60_000) ?? self::fail('the lock could not be taken');
        $fleet->each(static fn ($client) => $client->call('DEL', 'r'));
        self::assertFalse($lease->release());
        $locks->inspect('yet another');
        self::assertSame(['lock' => 'no majority of the servers has it'], $lease->lastErrors());
        self::assertSame([], $locks->lastErrors());
    }

    public function testWhatWasNotAskedLeavesNoErrorsOfBefore(): void
    {
        $fleet = $this->fleet(3);
        $lease = (new LockManager($fleet->specs(null, 2.0)))->acquire('r', 60_000) ?? self::fail('the lock could not be taken');
        self::assertSame([], $lease->lastErrors());
        $fleet->each(static fn ($client) => $client->call('DEL', 'r'));
        self::assertFalse($lease->confirm());
        self::assertNotSame([], $lease->lastErrors());
        self::assertFalse($lease->confirm());
        self::assertSame([], $lease->lastErrors(), 'nobody was asked');
    }

    /**
     * @dataProvider moments
     * @group real
     */
    public function testIsTheCallersOwnThoughGarbageIsCollectedAsItIsForgotten(int $later): void
    {
        $fleet = $this->fleet(3);
        $process = $this->php(self::GARBAGE . '
            $lease = $locks->acquire("r", 60_000);
            array_map(fn (int $pid): bool => posix_kill($pid, SIGKILL), $args["pids"]);
            $confirm = function () use ($lease): void {
                try {
                    $lease->confirm();
                } catch (RedLock\QuorumException) {
                }
            };
            $confirm();
            $errors = $lease->lastErrors();
            $before = array_keys($errors);
            gc_collect_cycles();
            new Garbage($confirm);
            ' . self::FILL . '
            $confirm();
            report([$before, array_keys($errors)]);
        ', ['servers' => $fleet->specs(null, 2.0), 'pids' => [$fleet->servers[0]->pid(), $fleet->servers[1]->pid()], 'later' => $later]);
        [$before, $errors] = PhpProcess::report($process);
        self::assertNotSame([], $before);
        self::assertSame($before, $errors);
    }

    /**
     * @dataProvider moments
     * @group real
     */
    public function testIsNotLetGoOfBeforeTheAnswerHasBeenActedOn(int $later): void
    {
        $fleet = $this->fleet(3);
        $process = $this->php(self::GARBAGE . '
            pcntl_async_signals(true);
            final class All
            {
                public static RedLock\LockManager $locks;
                public static RedLock\Lease $lease;
                public static array $errors;
                public static array $args;
            }
            All::$locks = $locks;
            All::$args = $args;
            All::$lease = $locks->acquire("r", 60_000, 0, ["keepAlive" => true]);
            posix_kill($args["pids"][0], SIGKILL);
            do {
                All::$lease->confirm();
            } while (All::$lease->lastErrors() === []);
            function handler(int $signal, array $told): void
            {
                // Let go of behind the handler.
                Garbage::$kept[] = $told;
                posix_kill(All::$args["pids"][1], SIGCONT);
                All::$lease->confirm();
                All::$errors = All::$lease->lastErrors();
                gc_collect_cycles();
                new Garbage(static function (): void {
                    Garbage::$kept[] = All::$locks->acquire("another", 3_600_000);
                });
                $args = All::$args;
                ' . self::FILL . '
            }
            pcntl_signal(SIGALRM, "handler");
            posix_kill($args["pids"][1], SIGSTOP);
            pcntl_alarm(1);
            $extended = All::$lease->extend(60_000);
            report([$extended, All::$lease->remaining(), array_keys(All::$lease->lastErrors())]);
        ', ['servers' => $fleet->specs(null, 5.0), 'pids' => [$fleet->servers[0]->pid(), $fleet->servers[1]->pid()], 'later' => $later]);
        [$extended, $remaining, $errors] = PhpProcess::report($process);
        self::assertTrue($extended);
        self::assertLessThanOrEqual(60_000, $remaining);
        self::assertSame([$fleet->servers[0]->name()], $errors);
    }

    /** @return iterable<string, array{int}> */
    public static function moments(): iterable
    {
        foreach (range(0, 3) as $later) {
            yield "$later more" => [$later];
        }
    }
}
