<?php

/** The counters of a process. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\LeaseTestCase;

final class StatsTest extends LeaseTestCase
{
    private const NONE = [
        'acquired' => 0, 'denied' => 0, 'timedOut' => 0, 'unreachable' => 0, 'extended' => 0, 'lost' => 0, 'released' => 0,
        'handedOver' => 0, 'undone' => 0,
    ];

    private static function stats(string $code): array
    {
        $prelude = '$locks = new RedLock\LockManager($args["servers"], ["timeout" => 0.5, "retryDelay" => 10]);';
        return PhpProcess::run("$prelude $code report(\$locks->stats());", ['servers' => self::$fleet->specs(3)]);
    }

    /** @dataProvider calls */
    public function testWhatHappensIsCounted(string $code, array $counts): void
    {
        $stats = self::stats($code);
        $histograms = array_splice($stats, count(self::NONE));
        self::assertSame(array_merge(self::NONE, $counts), $stats);
        self::assertSame(['waits', 'holds', 'listeners', 'servers'], array_keys($histograms));
        self::assertSame($counts['acquired'] ?? 0, array_sum($histograms['waits']));
    }

    /** @return iterable<string, array{string, array<string, int>}> */
    public static function calls(): iterable
    {
        yield 'nothing' => ['', []];
        yield 'acquired and released' => ['$a = $locks->acquire("r"); unset($a); $locks->acquire("r")->release();', ['acquired' => 2, 'released' => 2]];
        yield 'acquired' => ['$a = $locks->acquire("r");', ['acquired' => 1]];
        yield 'detached' => ['$locks->acquire("r")->detach();', ['acquired' => 1]];
        yield 'denied' => ['$a = $locks->acquire("r"); $none = $locks->acquire("r");', ['acquired' => 1, 'denied' => 1]];
        yield 'timed out' => ['$a = $locks->acquire("r"); $none = $locks->acquire("r", 1000, 50);', ['acquired' => 1, 'timedOut' => 1]];
        yield 'extended' => ['$a = $locks->acquire("r"); $a->extend(); $a->extend(40000);', ['acquired' => 1, 'extended' => 2]];
        yield 'lost' => ['$a = $locks->acquire("r", 100); usleep(200000); $a->isLive(); $a->isLive(); unset($a);', ['acquired' => 1, 'lost' => 1]];
        yield 'unreachable' => [
            '$dead = new RedLock\LockManager("127.0.0.1:1"); try { $none = $dead->acquire("r"); } catch (RedLock\QuorumException) {}',
            ['unreachable' => 1],
        ];
        yield 'given up by a signal handler' => [
            'pcntl_async_signals(true);
            pcntl_signal(SIGALRM, function () { throw new RuntimeException("enough"); });
            $a = $locks->acquire("r");
            pcntl_alarm(1);
            try { $none = $locks->acquire("r", 1000, 30000); } catch (RuntimeException) {}',
            ['acquired' => 1, 'undone' => 1],
        ];
        yield 'by any object' => ['$a = (new RedLock\LockManager($args["servers"]))->acquire("r"); unset($a);', ['acquired' => 1, 'released' => 1]];
    }

    public function testRequestsAndConnectionsOfEachServerAreCounted(): void
    {
        $servers = self::stats('for ($i = 0; $i < 50; $i++) { $a = $locks->acquire("r"); $a->release(); }')['servers'];
        self::assertCount(3, $servers);
        foreach ($servers as $name => $of) {
            self::assertSame(['requests', 'errors', 'connects', 'roundTripP50', 'roundTripP99', 'sinceTrouble'], array_keys($of));
            self::assertSame([100, [], 1, null], [$of['requests'], $of['errors'], $of['connects'], $of['sinceTrouble']], $name);
            self::assertGreaterThanOrEqual($of['roundTripP50'], $of['roundTripP99']);
        }
        self::assertNotEmpty(array_filter(array_column($servers, 'roundTripP50')), 'some answers were waited for');
    }

    public function testWhatTheKeepersThreadAsksIsCountedToo(): void
    {
        $servers = self::stats('$a = $locks->acquire("r", 300, 0, ["keepAlive" => true]); usleep(1000000);')['servers'];
        foreach ($servers as $of) {
            self::assertGreaterThan(5, $of['requests']);
            self::assertSame(2, $of['connects']);
        }
    }

    public function testErrorsAreCountedByTheirWords(): void
    {
        $servers = self::stats('
            $dead = new RedLock\LockManager("127.0.0.1:1", ["timeout" => 0.1]);
            for ($i = 0; $i < 3; $i++) {
                try { $none = $dead->acquire("r"); } catch (RedLock\QuorumException) {}
            }
        ')['servers'];
        $dead = $servers['127.0.0.1:1'];
        self::assertSame(['refused'], array_keys($dead['errors']));
        self::assertSame(0, $dead['connects']);
        self::assertNull($dead['roundTripP50']);
        self::assertGreaterThan(0.0, $dead['sinceTrouble']);
    }

    public function testRedLockAndPidLockCountInTheSame(): void
    {
        $servers = self::stats('
            $old = new RedLock($args["servers"], 10, 1);
            $old->unlock($old->lock("r", 1000));
        ')['servers'];
        self::assertSame([2, 2, 2], array_column($servers, 'requests'));
    }

    public function testHistogramsHaveFixedBounds(): void
    {
        $stats = self::stats('$a = $locks->acquire("r"); usleep(20000); unset($a);');
        $bounds = [1, 5, 10, 50, 100, 500, 1000, 5000, 30000, '+Inf'];
        self::assertSame($bounds, array_keys($stats['waits']));
        self::assertSame($bounds, array_keys($stats['holds']));
        self::assertSame(1, array_sum($stats['holds']));
        self::assertSame([0, 0, 0], array_slice(array_values($stats['holds']), 0, 3));
    }

    public function testAChildOfAForkCountsFromNothing(): void
    {
        $stats = self::stats('
            $a = $locks->acquire("r");
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            if (pcntl_fork() === 0) {
                $b = $locks->acquire("child");
                $b->release();
                report($locks->stats());
                posix_kill(getpid(), SIGKILL);
            }
            pcntl_wait($status);
            exit;
        ');
        self::assertSame(['acquired' => 1, 'released' => 1], array_intersect_key($stats, ['acquired' => 1, 'released' => 1]));
    }
}
