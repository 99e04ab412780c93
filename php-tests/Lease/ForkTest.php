<?php

/** After a fork a lease is the parent's, and in the child it is dead. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\LeaseTestCase;

final class ForkTest extends LeaseTestCase
{
    private const PRELUDE = '
        $locks = new RedLock\LockManager($args["servers"], ["timeout" => 2]);
        $inChild = static function (callable $work) {
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            if (($pid = pcntl_fork()) === 0) {
                fwrite($theirs, json_encode($work()) . "\n");
                exit(0);
            }
            $answer = json_decode(fgets($ours), true);
            pcntl_waitpid($pid, $status);
            return [$answer, $status];
        };
    ';

    private static function inPhp(string $code): mixed
    {
        return PhpProcess::run(self::PRELUDE . $code, ['servers' => self::$fleet->specs(3)]);
    }

    /** @dataProvider options */
    public function testInTheChildTheLeaseIsDead(string $options): void
    {
        [[$inChild, $status], $inParent] = self::inPhp('
            $lease = $locks->acquire("r", 10000, 0, ' . $options . ');
            $answer = $inChild(static function () use ($lease) {
                try {
                    $lease->assertLive();
                } catch (RedLock\LeaseLostException $lost) {
                }
                return [
                    $lease->isLive(), $lease->remaining(), $lease->confirm(), $lease->extend(), $lease->release(), $lost->getMessage(),
                ];
            });
            report([$answer, [$lease->isLive(), $lease->confirm(), $lease->extend(), $lease->release()]]);
        ');
        self::assertSame(0, $status);
        self::assertEquals([false, 0, false, false, false, 'the lease on \'r\' belongs to the parent of this process'], $inChild);
        self::assertSame([true, true, true, true], $inParent);
    }

    /** @return iterable<string, array{string}> */
    public static function options(): iterable
    {
        yield 'plain' => ['[]'];
        yield 'kept alive' => ['["keepAlive" => true]'];
        yield 'interrupting' => ['["keepAlive" => true, "interrupt" => true, "reentrant" => true]'];
        yield 'kept at the end' => ['["atEnd" => "keep"]'];
    }

    public function testNeitherItsDestructorNorItsEndReleases(): void
    {
        $live = self::inPhp('
            $lease = $locks->acquire("r", 10000);
            $other = $locks->acquire("other", 10000);
            $inChild(static function () use (&$lease) { $lease->__destruct(); $lease = null; });
            report([$lease->confirm(), $other->confirm()]);
        ');
        self::assertSame([true, true], $live);
    }

    /** @group real */
    public function testTheChildMayTakeLeasesOfItsOwn(): void
    {
        [$inChild, $status] = self::inPhp('
            $lease = $locks->acquire("r", 10000, 0, ["keepAlive" => true]);
            report($inChild(static function () use ($locks) {
                $own = $locks->acquire("own", 300, 0, ["keepAlive" => true]);
                usleep(1000000);
                return [$locks->acquire("r") === null, $own->isLive(), $own->confirm(), $own->release()];
            }));
        ');
        self::assertSame([[true, true, true, true], 0], [$inChild, $status]);
    }

    public function testManyForksWhileTheThreadIsAtWork(): void
    {
        $report = self::inPhp('
            $state = static function ($lease): string {
                try {
                    $lease->assertLive();
                } catch (RedLock\LeaseLostException $lost) {
                    return $lost->getMessage();
                }
                return $lease->confirm() ? "held" : "lost";
            };
            $leases = [];
            for ($i = 0; $i < 20; ++$i) {
                $leases[] = $locks->acquire("r$i", 1500, 0, ["keepAlive" => true]);
            }
            $good = true;
            for ($end = hrtime(true) + 4e9; hrtime(true) < $end; usleep(10000)) {
                [$answer, $status] = $inChild(static fn () => array_sum(array_map(static fn ($lease) => (int) $lease->isLive(), $leases)));
                $good = $good && $answer === 0 && $status === 0;
            }
            report([$good, array_unique(array_map($state, $leases))]);
        ');
        self::assertSame([true, ['held']], $report);
    }
}
