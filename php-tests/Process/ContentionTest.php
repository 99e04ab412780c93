<?php

/** Many processes on one resource: never two inside at once, and no turn is lost. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Fleet;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Harness\Witness;
use RedLock\Tests\Support\SharedFleetTestCase;

final class ContentionTest extends SharedFleetTestCase
{
    /** Takes turns until $args["until"]; $take and $give are made by the code that goes before. */
    private const TURNS = '
        $witness = new RedLock\Harness\Witness($args["folder"]);
        $turns = 0;
        while (hrtime(true) / 1e9 < $args["until"]) {
            $lock = $take();
            if ($lock) {
                $witness->enter((string) getmypid());
                usleep(500);
                $witness->leave();
                ++$turns;
                $give($lock);
            }
        }
        report($turns);
    ';
    private const NATIVE_RED_LOCK = '
        $r = new RedLock($args["servers"], 4, 50);
        $take = fn () => $r->lock("r", 20000);
        $give = fn ($lock) => $r->unlock($lock);
    ';
    private const LEGACY_RED_LOCK = '
        $connect = fn ($s) => new RedLock\Harness\RespClient("tcp://127.0.0.1:$s[1]");
        $clients = array_map($connect, $args["servers"]);
        $r = new RedLock\Tests\Support\LegacyRedLock($clients, 4, 50);
        $take = fn () => $r->lock("r", 20000);
        $give = fn ($lock) => $r->unlock($lock);
    ';
    private const NATIVE_PID_LOCK = '
        $p = new PidLock("127.0.0.1:{$args["servers"][0][1]}", ["mixedFleet" => $args["mixedFleet"], "timeout" => 2]);
        $take = fn () => $p->getPidLock("r", 20, 0.001, 200);
        $give = fn () => $p->releasePidLock("r");
    ';
    private const LEGACY_PID_LOCK = '
        $client = new RedLock\Harness\RespClient("tcp://127.0.0.1:{$args["servers"][0][1]}");
        $p = new RedLock\Harness\LegacyPidLock($client);
        $take = fn () => $p->getPidLock("r", 20, 0.001, 200);
        $give = fn () => $p->releasePidLock("r");
    ';

    /** @dataProvider crowds */
    public function testNobodyMeetsAnybodyInside(array $codes, int $servers): void
    {
        $witness = Witness::create();
        $args = [
            'servers' => self::$fleet->specs($servers, 2.0),
            'folder' => $witness->folder,
            'until' => Wait::now() + 2.5,
            'mixedFleet' => in_array(self::LEGACY_PID_LOCK, $codes, true),
        ];
        $start = fn (string $code): ChildProcess => $this->php($code . self::TURNS, $args);
        $turns = array_map(PhpProcess::report(...), array_map($start, $codes));
        self::assertSame([], $witness->overlaps());
        self::assertSame(array_sum($turns), $witness->count(), 'the counter is exact');
        self::assertGreaterThan(20, array_sum($turns), 'something has happened at all');
    }

    /** @return iterable<string, array{list<string>, int}> */
    public static function crowds(): iterable
    {
        $native = array_fill(0, 6, self::NATIVE_RED_LOCK);
        $mixed = [...array_fill(0, 3, self::NATIVE_RED_LOCK), ...array_fill(0, 3, self::LEGACY_RED_LOCK)];
        yield 'RedLock on one server' => [$native, 1];
        yield 'RedLock on three servers' => [$native, 3];
        yield 'RedLock on five servers' => [$native, 5];
        yield 'RedLock on three servers, half of the fleet old' => [$mixed, 3];
        yield 'RedLock on five servers, half of the fleet old' => [$mixed, 5];
        yield 'PidLock' => [array_fill(0, 6, self::NATIVE_PID_LOCK), 1];
        $mixed = [...array_fill(0, 3, self::NATIVE_PID_LOCK), ...array_fill(0, 3, self::LEGACY_PID_LOCK)];
        yield 'PidLock, half of the fleet old' => [$mixed, 1];
    }

    public function testNobodyMeetsAnybodyWhileServersAreKilledStoppedAndComeBack(): void
    {
        $fleet = $this->fleet(5);
        $witness = Witness::create();
        $args = ['servers' => $fleet->specs(null, 0.05), 'folder' => $witness->folder, 'until' => Wait::now() + 5.0];
        // A lease of 1.2 s, so that a server that lost its memory can be back before the end.
        $code = str_replace('20000', '1200', self::NATIVE_RED_LOCK);
        $code = str_replace('$take = fn () => $r->lock("r", 1200);', '$take = function () use ($r) {
            try { return $r->lock("r", 1200); } catch (RedLock\QuorumException) { return false; }
        };', $code);
        $workers = array_map(fn (): ChildProcess => $this->php($code . self::TURNS, $args), range(1, 6));
        foreach ($this->faults($fleet, $args['until'] - 5.0) as [$at, $fault]) {
            Wait::until(static fn (): bool => Wait::now() >= $at, 'the time of the next fault');
            $before = $witness->count();
            $fault();
            if ($at < $args['until'] - 1.5) {
                Wait::until(static fn (): bool => $witness->count() > $before + 3, 'the work to go on');
            }
        }
        $turns = array_map(PhpProcess::report(...), $workers);
        self::assertSame([], $witness->overlaps());
        self::assertSame(array_sum($turns), $witness->count(), 'the counter is exact');
    }

    /** @return list<array{float, callable}> when, and what; never more than two servers at a time */
    private function faults(Fleet $fleet, float $start): array
    {
        $servers = $fleet->servers;
        return [
            [$start + 0.5, static fn () => $servers[0]->kill9()],
            [$start + 1.0, static fn () => $servers[1]->stop()],
            [$start + 1.5, static fn () => $servers[1]->cont()],
            [$start + 2.0, static fn () => $servers[2]->client()->call('SCRIPT', 'FLUSH')],
            [$start + 2.3, static fn () => $servers[3]->client()->call('CLIENT', 'KILL', 'TYPE', 'normal')],
            // Later than any lease that it has forgotten.
            [$start + 3.0, static fn () => $servers[0]->restart()],
            [$start + 3.5, static fn () => $servers[4]->stop()],
            [$start + 4.0, static fn () => $servers[4]->cont()],
        ];
    }

    public function testTheWitnessSeesAnOverlapWhenNobodyLocks(): void
    {
        $witness = Witness::create();
        $args = ['servers' => [], 'folder' => $witness->folder, 'until' => Wait::now() + 1.0];
        $code = '$take = fn () => true; $give = fn () => true;' . self::TURNS;
        $processes = [$this->php($code, $args), $this->php($code, $args)];
        array_map(PhpProcess::report(...), $processes);
        self::assertNotSame([], $witness->overlaps());
    }

    public function testAWorkerKilledInsideBlocksTheOthersOnlyForTheTtl(): void
    {
        $args = ['servers' => self::$fleet->specs(3)];
        $holder = $this->php('$r = new RedLock($args["servers"]); report($r->lock("r", 700)); sleep(60);', $args);
        PhpProcess::report($holder);
        $holder->kill();
        $redLock = new \RedLock(self::$fleet->specs(3), 20, 1);
        self::assertFalse($redLock->lock('r', 1000));
        self::assertIsArray(Wait::until(static fn () => $redLock->lock('r', 1000), 'the lease of the dead to end'));
    }
}
