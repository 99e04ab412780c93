<?php

/** What becomes of locks where the extension's own memory runs out, at each of its allocations in turn. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\Tests\Support\SharedFleetTestCase;

final class ShortageTest extends SharedFleetTestCase
{
    /** Tries $op on what $before left, each allocation failing in turn, until none has failed. */
    private const DRIVER = '
        $keys = array_map(fn ($port) => new RedLock\Harness\RespClient("127.0.0.1:$port"), $args["ports"]);
        $servers = array_map(fn ($port) => ["127.0.0.1", $port, 0.5], $args["ports"]);
        $lockManager = fn (array $options = []) => new RedLock\LockManager($servers, ["retryDelay" => 10] + $options);
        $is_gone = static function (callable $another) use ($keys): bool {
            $deadline = RedLock\Harness\Wait::now() + 5;
            do {
                $another();
                $left = array_sum(array_map(fn ($client) => $client->call("DBSIZE"), $keys));
            } while ($left > 0 && RedLock\Harness\Wait::now() < $deadline && usleep(5000) === null);
            return $left === 0;
        };
        $without_each = static function (callable $subject, callable $before, callable $op, callable $after, callable $another) use ($args, $is_gone): void {
            $left = $thrown = [];
            for ($n = 1; $n < 500; ++$n) {
                $locks = $subject();
                $held = $before($locks);
                $given = $error = null;
                putenv("REDLOCK_NEW_FAILED=0");
                putenv("REDLOCK_NEW_FAILS=$n" . ($args["lasting"] ? "+" : ""));
                try {
                    $given = $op($locks, $held);
                } catch (Throwable $error) {
                    $thrown[$error::class] = ($thrown[$error::class] ?? 0) + 1;
                }
                putenv("REDLOCK_NEW_FAILS");
                $after($locks, $given, $held);
                $given = $error = $held = null;
                if (getenv("REDLOCK_NEW_FAILED") === "0") {
                    break;
                }
                if (!$is_gone(fn () => $another($locks))) {
                    $left[] = $n;
                    break;
                }
            }
            report(["tried" => $n - 1, "left" => $left, "thrown" => $thrown]);
        };
    ';
    private const LEASE_AFTERWARDS = 'fn ($locks, $lease) => $lease?->release(), fn ($locks) => $locks->acquire("other", 1000, 0)?->release()';

    private static string $preload;

    public static function setUpBeforeClass(): void
    {
        parent::setUpBeforeClass();
        $folder = TempFolder::make();
        $sources = __DIR__ . '/../../tests/support';
        // PHP loads its extensions so that they see no other operator new than their library's.
        foreach (['plain_dlopen', 'failing_new'] as $name) {
            $compiler = new ChildProcess(['c++', '-std=c++20', '-O1', '-shared', '-fPIC', "$sources/$name.cpp", '-o', "$folder/$name.so"]);
            self::assertSame(0, $compiler->wait(60.0), "c++ cannot compile $name.cpp");
        }
        self::$preload = "$folder/plain_dlopen.so $folder/failing_new.so";
    }

    /** @return array{tried: int, left: list<int>, thrown: array<string, int>} */
    private function withoutEach(string $calls, bool $lasting, int $servers = 3): array
    {
        $ports = array_map(static fn (array $spec): int => $spec[1], self::$fleet->specs($servers));
        putenv('LD_PRELOAD=' . self::$preload);
        try {
            $process = $this->php(self::DRIVER . "\$without_each($calls);", ['ports' => $ports, 'lasting' => $lasting]);
        } finally {
            putenv('LD_PRELOAD');
        }
        $report = PhpProcess::report($process);
        self::assertSame(0, $process->wait());
        self::assertGreaterThan(3, $report['tried'], 'something has to fail');
        self::assertLessThan(400, $report['tried'], 'or not everything was tried');
        return $report;
    }

    /** @return iterable<string, array{string}> */
    public static function takes(): iterable
    {
        $nothing = 'fn () => null';
        $afterwards = self::LEASE_AFTERWARDS;
        yield 'lock()' => ["fn () => new RedLock(\$servers, 0, 1), $nothing, fn (\$locks) => \$locks->lock('r', 60000), "
            . 'fn ($locks, $lock) => $lock && $locks->unlock($lock), fn ($locks) => $locks->unlock($locks->lock("other", 1000))'];
        yield 'lock() beside a server that is down' => ["fn () => new RedLock([['127.0.0.1', 1, 0.5], ...\$servers], 0, 1), $nothing, "
            . 'fn ($locks) => $locks->lock("r", 60000), fn ($locks, $lock) => $lock && $locks->unlock($lock), '
            . 'fn ($locks) => $locks->unlock($locks->lock("other", 1000))'];
        foreach (['at once' => '0', 'in line' => '1000'] as $how => $wait) {
            yield "acquire() $how" => ["\$lockManager, $nothing, fn (\$locks) => \$locks->acquire('r', 60000, $wait), $afterwards"];
        }
        yield 'acquire() by polling' => ["fn () => \$lockManager(['line' => false]), $nothing, fn (\$locks) => \$locks->acquire('r', 60000, 1000), $afterwards"];
        foreach (["'keepAlive' => true", "'interrupt' => true", "'reentrant' => true, 'owner' => 'me'"] as $options) {
            yield "acquire() with $options" => ["\$lockManager, $nothing, fn (\$locks) => \$locks->acquire('r', 60000, 0, [$options]), $afterwards"];
        }
    }

    /**
     * @dataProvider takes
     */
    public function testALockIsHandedOutOrGivenBackWhereAnAllocationFails(string $calls): void
    {
        self::assertSame([], $this->withoutEach($calls, false)['left'], 'left behind by that allocation');
    }

    /**
     * @dataProvider takes
     */
    public function testALockIsHandedOutOrGivenBackWhereAllAllocationsFailFromOneOn(string $calls): void
    {
        self::assertSame([], $this->withoutEach($calls, true)['left'], 'left behind from that allocation on');
    }

    public function testAPidLockIsHandedOutOrGivenBackWhereAnAllocationFails(): void
    {
        $calls = 'fn () => new PidLock($servers[0]), fn () => null, fn ($locks) => $locks->getPidLock("r", 60), '
            . 'fn ($locks, $taken) => $taken && $locks->releasePidLock("r"), '
            . 'fn ($locks) => $locks->getPidLock("other", 1) && $locks->releasePidLock("other")';
        self::assertSame([], $this->withoutEach($calls, false, 1)['left'], 'left behind by that allocation');
    }

    /** @return iterable<string, array{string, bool}> */
    public static function releases(): iterable
    {
        $acquire = 'fn ($locks) => $locks->acquire("r", 60000, 0)';
        $another = 'fn ($locks) => $locks->acquire("other", 1000, 0)?->release()';
        foreach (['an allocation' => false, 'all from one on' => true] as $which => $lasting) {
            yield "release(), $which" => ["\$lockManager, $acquire, fn (\$locks, \$lease) => \$lease->release(), fn () => null, $another", $lasting];
            // An array, so that nobody else has it.
            yield "the end of its scope, $which" => ["\$lockManager, fn (\$locks) => new ArrayObject([\$locks->acquire('r', 60000, 0)]), "
                . "function (\$locks, \$held): void { unset(\$held[0]); }, fn () => null, $another", $lasting];
            yield "the end of one that is kept alive, $which" => ["\$lockManager, "
                . "fn (\$locks) => new ArrayObject([\$locks->acquire('r', 60000, 0, ['keepAlive' => true])]), "
                . "function (\$locks, \$held): void { unset(\$held[0]); }, fn () => null, $another", $lasting];
            yield "synchronized(), $which" => ["\$lockManager, fn () => null, fn (\$locks) => \$locks->synchronized('r', fn () => 1, 60000, 0), fn () => null, $another", $lasting];
        }
    }

    /**
     * @dataProvider releases
     */
    public function testALeaseThatFindsNoMemoryForItsReleaseIsRemovedByTheNextCall(string $calls, bool $lasting): void
    {
        self::assertSame([], $this->withoutEach($calls, $lasting)['left'], 'left behind by that allocation');
    }

    public function testOrByTheEndOfItsManager(): void
    {
        $calls = 'fn () => new ArrayObject([$lockManager()]), fn ($locks) => new ArrayObject([$locks[0]->acquire("r", 60000, 0)]), '
            . 'function ($locks, $held): void { unset($held[0]); }, function ($locks): void { unset($locks[0]); }, fn () => null';
        self::assertSame([], $this->withoutEach($calls, true)['left'], 'left behind from that allocation on');
    }
}
