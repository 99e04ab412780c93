<?php

/** A signal handler that only calls cancelWaits() ends waits, and those that would begin behind it. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\NotAcquiredException;
use RedLock\Tests\Support\LineTestCase;

final class CancelTest extends LineTestCase
{
    /** A signal comes in the middle of a wait, or is seen within the 250 ms of a slice. */
    private const SECONDS_MAX = 5.0;

    private const BEGIN = '
        pcntl_async_signals(true);
        $stop = false;
        pcntl_signal(SIGTERM, function () use (&$stop) { $stop = true; RedLock\LockManager::cancelWaits(); });
        $locks = new RedLock\LockManager($args["servers"], $args["options"] ?? []);
        report("waits");
    ';

    /** The process waits; a SIGTERM ends that. What it then reports. */
    private static function terminated(ChildProcess $process): mixed
    {
        self::assertSame('"waits"', $process->readLine());
        $later = Wait::now() + 0.3;
        Wait::until(static fn (): bool => Wait::now() > $later, 'it to wait');
        self::assertNull($process->pollLine(), 'it waits');
        $process->signal(SIGTERM);
        return json_decode($process->readLine(self::SECONDS_MAX), true);
    }

    public function testAWaitInLineEndsAndLeavesTheLine(): void
    {
        $held = self::holding();
        $waiter = $this->php(self::BEGIN . '
            report([$locks->acquire("r", 30_000, null) === null, $locks->lastErrors()["lock"] ?? null, $stop]);
        ', ['servers' => self::$fleet->specs(3, 2.0)]);
        self::awaitLine(1);
        self::assertSame([true, 'the wait was cancelled', true], self::terminated($waiter));
        self::awaitLine(0);
        self::assertTrue($held->release());
    }

    public function testAWaitByPollingEndsToo(): void
    {
        $held = self::holding();
        $waiter = $this->php(self::BEGIN . '
            report([$locks->acquire("r", 30_000, 60_000) === null, $locks->lastErrors()["lock"] ?? null]);
        ', ['servers' => self::$fleet->specs(3, 2.0), 'options' => ['line' => false]]);
        self::assertSame([true, 'the wait was cancelled'], self::terminated($waiter));
        self::assertTrue($held->release());
    }

    public function testSynchronizedThrowsAndSaysWhy(): void
    {
        $held = self::holding();
        $waiter = $this->php(self::BEGIN . '
            try {
                $locks->synchronized("r", static fn () => report("ran"));
            } catch (RedLock\NotAcquiredException $over) {
                report($over->getMessage());
            }
        ', ['servers' => self::$fleet->specs(3, 2.0)]);
        $message = self::terminated($waiter);
        self::assertSame("RedLock\\LockManager::synchronized(): the lock on 'r' is not acquired: the wait was cancelled", $message);
        self::assertTrue($held->release());
    }

    public function testThePausesOfTheDropInClassesEndToo(): void
    {
        $held = self::holding();
        $red = $this->php(self::BEGIN . '
            $redLock = new RedLock($args["servers"], 60_000, 100);
            report([$redLock->lock("r", 30_000), $redLock->lastErrors()["lock"] ?? null]);
        ', ['servers' => self::$fleet->specs(3, 2.0)]);
        self::assertSame([false, 'the wait was cancelled'], self::terminated($red));
        self::assertTrue($held->release());

        $server = $this->server();
        (new \PidLock(['127.0.0.1', $server->port, 2.0], ['owner' => 'object']))->getPidLock('p', 60);
        $pid = $this->php(self::BEGIN . '
            $pidLock = new PidLock($args["server"]);
            report([$pidLock->getPidLock("p", 60, 60, 100)]);
        ', ['servers' => self::$fleet->specs(3, 2.0), 'server' => ['127.0.0.1', $server->port, 2.0]]);
        self::assertSame([0], self::terminated($pid));
    }

    public function testWhatBeginsAfterwardsAsksOnceUntilWaitsAreAllowedAgain(): void
    {
        $held = self::holding();
        $locks = self::locks();
        try {
            LockManager::cancelWaits();
            $begun = Wait::now();
            self::assertNull($locks->acquire('r', 30_000, null));
            self::assertSame('the wait was cancelled', $locks->lastErrors()['lock']);
            self::caught(NotAcquiredException::class, static fn () => $locks->synchronized('r', static fn () => self::fail('it ran')));
            $redLock = new \RedLock(self::$fleet->specs(3, 2.0), 60_000, 100);
            self::assertFalse($redLock->lock('r', 30_000));
            self::assertLessThan(self::SECONDS_MAX, Wait::now() - $begun);
            // What is free is given.
            self::assertNotNull($locks->acquire('free', 30_000, null));
            // No wait, and so none that was cancelled.
            self::assertNull($locks->acquire('r', 30_000));
            self::assertArrayNotHasKey('lock', $locks->lastErrors());
        } finally {
            LockManager::cancelWaits(false);
        }
        $begun = Wait::now();
        self::assertNull($locks->acquire('r', 30_000, 300));
        self::assertGreaterThan(0.29, Wait::now() - $begun);
        self::assertArrayNotHasKey('lock', $locks->lastErrors());
        self::assertTrue($held->release());
    }

    public function testTheNextRequestWaitsAgain(): void
    {
        $server = $this->server();
        $web = $this->web('
            $locks = new RedLock\LockManager([["127.0.0.1", ' . $server->port . ', 2.0]]);
            $none = $locks->acquire("r", 30_000, 300);
            echo $locks->lastErrors()["lock"] ?? "waited";
            RedLock\LockManager::cancelWaits();
        ');
        $server->client()->call('SET', 'r', 'somebody');
        foreach ([1, 2] as $request) {
            self::assertSame('waited', $web->get((string) $request));
        }
    }
}
