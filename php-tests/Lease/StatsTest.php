<?php

/** The counters of a process. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\LeaseTestCase;

final class StatsTest extends LeaseTestCase
{
    private const NONE = [
        'acquired' => 0, 'denied' => 0, 'timedOut' => 0, 'unreachable' => 0, 'extended' => 0, 'lost' => 0, 'released' => 0, 'handedOver' => 0,
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
        self::assertSame(['waits', 'holds', 'listeners'], array_keys($histograms));
        self::assertSame($counts['acquired'] ?? 0, array_sum($histograms['waits']));
    }

    /** @return iterable<string, array{string, array<string, int>}> */
    public static function calls(): iterable
    {
        yield 'nothing' => ['', []];
        yield 'acquired and released' => ['$locks->acquire("r"); $locks->acquire("r")->release();', ['acquired' => 2, 'released' => 2]];
        yield 'acquired' => ['$a = $locks->acquire("r");', ['acquired' => 1]];
        yield 'detached' => ['$locks->acquire("r")->detach();', ['acquired' => 1]];
        yield 'denied' => ['$a = $locks->acquire("r"); $locks->acquire("r");', ['acquired' => 1, 'denied' => 1]];
        yield 'timed out' => ['$a = $locks->acquire("r"); $locks->acquire("r", 1000, 50);', ['acquired' => 1, 'timedOut' => 1]];
        yield 'extended' => ['$a = $locks->acquire("r"); $a->extend(); $a->extend(40000);', ['acquired' => 1, 'extended' => 2]];
        yield 'lost' => ['$a = $locks->acquire("r", 100); usleep(200000); $a->isLive(); $a->isLive(); unset($a);', ['acquired' => 1, 'lost' => 1]];
        yield 'unreachable' => [
            '$dead = new RedLock\LockManager("127.0.0.1:1"); try { $dead->acquire("r"); } catch (RedLock\QuorumException) {}',
            ['unreachable' => 1],
        ];
        yield 'by any object' => ['(new RedLock\LockManager($args["servers"]))->acquire("r");', ['acquired' => 1, 'released' => 1]];
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
