<?php

/** What becomes of leases is told to the option onEvent, and nothing it does harms a lock. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\LockManager;
use RedLock\Tests\Support\LeaseTestCase;
use RuntimeException;

final class EventsTest extends LeaseTestCase
{
    /** @var list<array{string, array<string, mixed>}> */
    private array $told = [];

    private function watched(): LockManager
    {
        return self::locks(options: ['onEvent' => function (string $event, array $facts): void {
            $this->told[] = [$event, $facts];
        }]);
    }

    /** @return list<string> */
    private function names(): array
    {
        return array_column($this->told, 0);
    }

    public function testTheLifeOfALeaseIsToldInItsOrder(): void
    {
        $locks = $this->watched();
        $lease = self::leased($locks, 'r', 10_000, ['owner' => 'importer']);
        self::assertSame(['acquired'], $this->names());
        self::assertNull($locks->acquire('r', 1_000, 30));
        self::assertTrue($lease->extend());
        unset($lease);
        // No function is called in between, where the VM could be interrupted.
        $last = $this->told[3][0] ?? 'nothing';
        self::assertSame('released', $last);
        self::assertSame(['acquired', 'waited', 'extended', 'released'], $this->names());
        [$acquired, $waited, $extended, $released] = array_column($this->told, 1);
        foreach ($this->told as [, $facts]) {
            $keys = ['resource', 'owner', 'waited', 'held', 'remaining', 'faults', 'reason'];
            self::assertSame($keys, array_keys($facts));
            self::assertSame(['r', []], [$facts['resource'], $facts['faults']]);
        }
        self::assertSame(['importer', null, 'importer', 'importer'], array_column(array_column($this->told, 1), 'owner'));
        self::assertGreaterThan(0.0, $acquired['waited']);
        self::assertGreaterThanOrEqual(30.0, $waited['waited']);
        self::assertSame([null, 0.0], [$waited['held'], $waited['remaining']]);
        self::assertGreaterThanOrEqual(30.0, $extended['held']);
        self::assertGreaterThan($extended['held'], $released['held']);
        self::assertGreaterThan(0.0, $released['remaining']);
        self::assertReleased();
    }

    public function testTheTokenIsNotTold(): void
    {
        $locks = $this->watched();
        $lease = self::leased($locks);
        $token = $lease->token;
        $lease->release();
        self::assertStringNotContainsString($token, serialize($this->told));
    }

    public function testALossIsToldOnceWithItsReason(): void
    {
        $locks = $this->watched();
        $lease = self::leased($locks);
        self::steal();
        self::assertFalse($lease->confirm());
        self::assertFalse($lease->isLive());
        unset($lease);
        self::assertSame(['acquired', 'lost'], $this->names());
        self::assertStringContainsString('no majority of the servers has it', $this->told[1][1]['reason']);
        self::assertSame(0.0, $this->told[1][1]['remaining']);
    }

    public function testALossThatInterruptsIsTold(): void
    {
        $locks = $this->watched();
        $lease = self::leased($locks, 'r', 100, ['interrupt' => true]);
        try {
            for ($end = microtime(true) + 10; microtime(true) < $end;) {
            }
            self::fail('nothing was thrown');
        } catch (\RedLock\LeaseLostException) {
            self::assertSame(['acquired', 'lost'], $this->names());
        }
    }

    public function testTheLossOfALeaseThatIsKeptAliveIsToldThoughNobodyLooks(): void
    {
        $locks = $this->watched();
        $lease = self::leased($locks, 'r', 300, ['keepAlive' => true]);
        self::steal();
        for ($end = microtime(true) + 20; count($this->told) < 2 && microtime(true) < $end;) {
            usleep(1_000);
        }
        self::assertSame(['acquired', 'lost'], $this->names());
        self::assertFalse($lease->isLive());
        self::assertCount(2, $this->told);
    }

    /** @group real */
    public function testServersInTroubleAreNamed(): void
    {
        $told = [];
        $locks = new LockManager([...self::$fleet->specs(1), '127.0.0.1:1', '127.0.0.1:2'], [
            'onEvent' => function (string $event, array $facts) use (&$told): void {
                $told[] = [$event, $facts['faults']];
            },
        ]);
        try {
            $none = $locks->acquire('r');
            self::fail('nothing was thrown');
        } catch (\RedLock\QuorumException $exception) {
            self::assertSame([['unreachable', $exception->faults()]], $told);
            self::assertContains('refused', $told[0][1]);
        }
    }

    public function testWhatItThrowsHarmsNoLock(): void
    {
        $log = ini_set('error_log', '/dev/null');
        try {
            $locks = self::locks(options: ['onEvent' => fn () => throw new RuntimeException('broken')]);
            $lease = self::leased($locks);
            self::assertTrue($lease->extend());
            self::assertTrue($lease->confirm());
            self::assertSame(7, $locks->synchronized('s', fn (): int => 7));
            self::assertTrue($lease->release());
            self::assertReleased();
        } finally {
            ini_set('error_log', (string) $log);
        }
    }

    public function testItDoesNotHideWhatIsThrown(): void
    {
        try {
            $this->watched()->synchronized('r', fn () => throw new RuntimeException('mine'));
            self::fail('nothing was thrown');
        } catch (RuntimeException $exception) {
            self::assertSame(['mine', null], [$exception->getMessage(), $exception->getPrevious()]);
        }
        self::assertSame(['acquired', 'released'], $this->names());
    }

    public function testItMayUseLocksItself(): void
    {
        $locks = null;
        $calls = 0;
        $locks = self::locks(options: ['onEvent' => function () use (&$locks, &$calls): void {
            $calls++;
            $locks->synchronized('log', fn () => null, 5_000, 5_000);
        }]);
        self::leased($locks)->release();
        self::assertSame(2, $calls);
        self::assertReleased('log');
    }

    public function testItIsNotToldOfWhatItDoesItself(): void
    {
        $lease = null;
        $locks = self::locks(options: ['onEvent' => function (string $event) use (&$lease): void {
            $this->told[] = [$event, []];
            $lease?->extend();
        }]);
        $lease = self::leased($locks, 'r', 10_000);
        self::assertTrue($lease->extend());
        self::assertSame(['acquired', 'extended'], $this->names());
        $lease->release();
        self::assertSame(['acquired', 'extended', 'released'], $this->names());
    }

    /** The exception of the loss is pending in the middle of a call when the handler ends the request. */
    public function testExitInItEndsARequestThatALossHadInterrupted(): void
    {
        $script = TempFolder::make() . '/script.php';
        file_put_contents($script, '<?php
            $servers = json_decode($argv[1], true);
            $locks = new RedLock\LockManager($servers, ["onEvent" => function (string $event): void {
                if ($event === "lost") {
                    echo "lost\n";
                    exit(3);
                }
            }]);
            function store(mixed ...$values): void
            {
            }
            function work($locks, $servers): void
            {
                $lease = $locks->acquire("r", 300, 0, ["interrupt" => true, "keepAlive" => true]);
                (new RedLock\LockManager($servers))->forceRelease("r");
                for ($until = hrtime(true) + 20e9; hrtime(true) < $until;) {
                    store("a" . random_int(0, 9), [random_int(0, 9) . "b", usleep(1000) ?: random_int(1, 9)]);
                }
            }
            work($locks, $servers);
            echo "never\n";
        ');
        $command = [...PhpProcess::command(), $script, json_encode(self::$fleet->specs(3), JSON_THROW_ON_ERROR)];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $output, $status);
        self::assertSame([['lost'], 3], [$output, $status]);
    }

    public function testManagersThatAreOnlyKnownToTheirHandlersAreCollected(): void
    {
        $owner = new class () {
            public ?LockManager $locks = null;
            public ?\RedLock\Lease $lease = null;

            public function told(): void
            {
            }
        };
        $owner->locks = self::locks(options: ['onEvent' => [$owner, 'told']]);
        $owner->lease = self::leased($owner->locks);
        $weak = \WeakReference::create($owner);
        unset($owner);
        gc_collect_cycles();
        self::assertNull($weak->get());
        self::assertReleased();
    }

    /** @dataProvider ends */
    public function testWhatARequestLeavesIsToldAsDestructorsAre(string $end, array $told): void
    {
        $script = TempFolder::make() . '/script.php';
        file_put_contents($script, '<?php
            $locks = new RedLock\LockManager(json_decode($argv[1], true), ["onEvent" => function (string $event): void {
                echo "$event\n";
            }]);
            function work($locks) { $lease = $locks->acquire("r"); ' . $end . ' }
            $kept = work($locks);
        ');
        $command = [...PhpProcess::command(), $script, json_encode(self::$fleet->specs(3), JSON_THROW_ON_ERROR)];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $output);
        self::assertSame($told, $output);
        self::assertReleased();
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function ends(): iterable
    {
        yield 'the end of the script' => ['return $lease;', ['acquired', 'released']];
        yield 'exit' => ['exit;', ['acquired', 'released']];
        yield 'exit while another is waited for' => ['$second = $locks->acquire("r", 1000, 5); exit;', ['acquired', 'waited', 'released']];
    }

    public function testAFatalErrorInTheHandlerLeavesSignalsAndFibersToShutdownFunctions(): void
    {
        $report = PhpProcess::run('
            $locks = new RedLock\LockManager($args["servers"], ["onEvent" => function (): void {
                ini_set("display_errors", "0");
                trigger_error("end", E_USER_ERROR);
            }]);
            register_shutdown_function(function (): void {
                $seen = [];
                pcntl_async_signals(true);
                pcntl_signal(SIGUSR1, function () use (&$seen): void { $seen[] = "signal"; });
                posix_kill(getmypid(), SIGUSR1);
                $fiber = new Fiber(function () use (&$seen): void { Fiber::suspend(); $seen[] = "fiber"; });
                $fiber->start();
                $fiber->resume();
                report($seen);
            });
            $lease = $locks->acquire("r");
            report("no fatal error");
        ', ['servers' => self::$fleet->specs(3)], ['log_errors' => 0]);
        self::assertSame(['signal', 'fiber'], $report);
    }
}
