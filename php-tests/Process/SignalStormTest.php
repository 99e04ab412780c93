<?php

/** Signal handlers that throw as a call that takes a lock returns: the lock is given back, or its handle is there. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\SharedFleetTestCase;

final class SignalStormTest extends SharedFleetTestCase
{
    private const THROWN = 150;

    private const STORM = '
        final class Stop extends Exception {}
        $throws = false;
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, function () use (&$throws): void {
            if ($throws) { $throws = false; throw new Stop(); }
        });
        $parent = getmypid();
        $child = pcntl_fork();
        if ($child === 0) {
            while (posix_getppid() === $parent) { usleep(random_int(50, 1500)); posix_kill($parent, SIGUSR1); }
            posix_kill(getmypid(), SIGKILL);
        }
        $handler = function (string $event) use ($args): void { if ($event === "acquired") { usleep($args["slow"]); } };
        $locks = new RedLock\LockManager($args["servers"], ["onEvent" => $handler]);
        $redLock = new RedLock($args["servers"], 0, 1);
        $pids = new PidLock([$args["servers"][0][0], $args["servers"][0][1], 2.0]);
        $pass = fn ($value) => $value;
        $thrown = 0;
        for ($i = 0; $thrown < $args["thrown"]; $i++) {
            $got = null;
            try {
                $throws = true;
                %s
                $throws = false;
            } catch (Stop) {
                ++$thrown;
            }
            $throws = false;
            %s
        }
        $got = null;
        posix_kill($child, SIGKILL);
        pcntl_waitpid($child, $status);
        gc_collect_cycles();
        report($i);
    ';

    /** @return iterable<string, array{string, int}> */
    public static function leases(): iterable
    {
        yield 'kept in a variable' => ['$got = $locks->acquire("r$i", 600_000);', 0];
        yield 'passed on' => ['$got = $pass($locks->acquire("r$i", 600_000));', 0];
        yield 'returned' => ['$got = (fn () => $locks->acquire("r$i", 600_000))();', 0];
        yield 'kept in an array' => ['$got = [$locks->acquire("r$i", 600_000)];', 0];
        // The call behind it is where PHP 8.4 runs the handlers of signals that waited for that of events.
        yield 'behind a slow handler of events' => ['$got = $locks->acquire("r$i", 600_000); $pass(0);', 2_000];
        yield 'of synchronized()' => ['$got = $locks->synchronized("r$i", fn () => 1, 600_000);', 0];
        yield 'of a handle' => [
            '$got = $locks->attach(["resource" => "r", "token" => str_repeat("t", 40), "validity" => 1e5]);',
            0,
        ];
    }

    /** @dataProvider leases */
    public function testNoLeaseIsLost(string $take, int $slow): void
    {
        $this->storm($take, '', $slow);
        self::assertSame(0, self::$fleet->keyCount(1));
    }

    /** @return iterable<string, array{string, string}> */
    public static function handles(): iterable
    {
        yield 'RedLock' => ['$got = $redLock->lock("r$i", 600_000);', 'if ($got) { $redLock->unlock($got); }'];
        yield 'PidLock' => ['$got = $pids->getPidLock("r$i", 600);', 'if ($got) { $pids->releasePidLock("r$i"); }'];
    }

    /**
     * What is no object the engine drops: a few instructions are left in which that can be.
     *
     * @dataProvider handles
     */
    public function testHardlyALockIsLostThatHasNoObject(string $take, string $release): void
    {
        $this->storm($take, $release, 0);
        self::assertLessThan(self::THROWN / 5, self::$fleet->keyCount(1));
    }

    private function storm(string $take, string $release, int $slow): void
    {
        $args = ['servers' => self::$fleet->specs(1, 2.0), 'slow' => $slow, 'thrown' => self::THROWN];
        PhpProcess::run(sprintf(self::STORM, $take, $release), $args);
    }
}
