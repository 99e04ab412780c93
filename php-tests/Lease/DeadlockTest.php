<?php

/** A process that would wait without an end for a lock that it holds itself is told so. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\DeadlockException;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\Tests\Support\LeaseTestCase;

final class DeadlockTest extends LeaseTestCase
{
    /** What a process reports, which would otherwise wait for ever. */
    private function report(string $code): mixed
    {
        $process = $this->php('$locks = new RedLock\LockManager($args["servers"]);' . $code, ['servers' => self::$fleet->specs(3, 2.0)]);
        return json_decode($process->readLine(), true);
    }

    public function testNestedSynchronizedThrowsInsteadOfWaitingForItself(): void
    {
        [$type, $bases, $message] = $this->report('
            try {
                $locks->synchronized("r", fn () => $locks->synchronized("r", fn () => report("it ran")));
            } catch (RedLock\DeadlockException $deadlock) {
                report([$deadlock::class, $deadlock instanceof LogicException && $deadlock instanceof RedLock\Exception, $deadlock->getMessage()]);
            }
        ');
        self::assertSame([DeadlockException::class, true], [$type, $bases]);
        self::assertMatchesRegularExpression(
            "~^RedLock\\\\LockManager::synchronized\\(\\): the wait for 'r' would never end: this process has held that lock itself for \\d+ ms; ~",
            $message,
        );
        self::assertReleased();
    }

    public function testTwoFibersToo(): void
    {
        self::assertSame('thrown', $this->report('
            $holder = new Fiber(fn () => $locks->synchronized("r", fn () => Fiber::suspend()));
            $holder->start();
            try {
                (new Fiber(fn () => $locks->synchronized("r", fn () => report("it ran"))))->start();
            } catch (RedLock\DeadlockException) {
                $holder->resume();
                report("thrown");
            }
        '));
        self::assertReleased();
    }

    public function testAnotherManagerOfTheSameServersToo(): void
    {
        $lease = self::leased(self::locks());
        $servers = array_reverse(self::$fleet->specs(3, 1.0));
        self::caught(DeadlockException::class, static fn () => (new LockManager($servers))->acquire('r', 1_000, null));
        self::assertTrue($lease->isLive());
    }

    public function testAWaitWithAnEndWaits(): void
    {
        $locks = self::locks();
        $lease = self::leased($locks);
        self::assertNull($locks->acquire('r', 1_000, 50));
        self::assertTrue($lease->isLive());
    }

    public function testWhatIsOverOrPassedOnOrOnOtherServersIsNoReason(): void
    {
        $locks = self::locks();
        self::leased($locks)->release();
        $locks->acquire('r', 10_000, null)?->release();
        $handle = self::leased($locks, 'passed', 100)->detach();
        self::assertNotNull($locks->acquire('passed', 10_000, null));
        $shown = self::leased($locks, 'over', 100);
        Wait::until(static fn (): bool => !$shown->isLive(), 'the lease to be over');
        self::assertNotNull($locks->acquire('over', 10_000, null));
        $other = $this->server();
        $lease = self::leased($locks, 'r', 10_000);
        self::assertNotNull((new LockManager([['127.0.0.1', $other->port, 2.0]]))->acquire('r', 10_000, null));
        self::assertSame('passed', $handle['resource']);
        self::assertTrue($lease->isLive());
    }

    public function testReentrantLeasesAreGivenAsBefore(): void
    {
        $locks = self::locks();
        $reentrant = ['reentrant' => true];
        self::assertSame('ran', $locks->synchronized('r', static fn () => $locks->synchronized('r', static fn () => 'ran', options: $reentrant), options: $reentrant));
    }

    /** @group real */
    public function testAChildWaitsForItsParent(): void
    {
        self::assertSame([true, 'got'], $this->report('
            $lease = $locks->acquire("r", 60_000);
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            if (pcntl_fork() === 0) {
                $lease = $locks->acquire("r", 1_000, null);
                fwrite($theirs, $lease === null ? "null" : "got");
                exit(0);
            }
            $read = [$ours];
            $write = $except = null;
            $silent = stream_select($read, $write, $except, 0, 300_000) === 0;
            $lease->release();
            report([$silent, fread($ours, 10)]);
            pcntl_wait($status);
        '));
    }
}
