<?php

/** Clients that know of no line, on both sides of a wait: SET NX PX, and a script that compares and deletes. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;
use RedLock\Harness\Witness;
use RedLock\Tests\Support\LegacyRedLock;
use RedLock\Tests\Support\LineTestCase;

final class OldClientsTest extends LineTestCase
{
    private static function old(): LegacyRedLock
    {
        return new LegacyRedLock(self::$fleet->each(static fn (RespClient $c): RespClient => $c, 3), 0, 1);
    }

    public function testWhatAnOldClientGivesBackTheFirstInLineFindsSoon(): void
    {
        $held = self::old()->lock('r', 60_000);
        $first = $this->waiterInLine(1);
        $second = $this->waiterInLine(2);
        $free = Wait::now();
        self::old()->unlock($held);
        self::assertLessThan(self::SOON, self::assertGot($first)['at'] - $free);
        $free = Wait::now();
        self::giveBack($first);
        self::assertLessThan(self::AT_ONCE, self::assertGot($second)['at'] - $free, 'from native to native it is handed over');
        self::giveBack($second);
        self::assertNothingIsLeft();
    }

    public function testWhatAnOldClientLeavesToItsTtlTheFirstInLineGetsAtItsEnd(): void
    {
        $taken = Wait::now();
        self::assertIsArray(self::old()->lock('r', 1_500));
        $waiter = $this->waiterInLine();
        $waited = self::assertGot($waiter)['at'] - $taken;
        self::assertGreaterThan(1.4, $waited);
        self::assertLessThan(1.5 + self::AT_ONCE, $waited);
    }

    public function testAnOldClientDoesNotGetWhatIsHandedOver(): void
    {
        $lease = self::holding();
        $waiter = $this->waiterInLine();
        $lease->release();
        self::assertFalse(self::old()->lock('r', 60_000));
        self::assertGot($waiter);
        self::assertFalse(self::old()->lock('r', 60_000));
        self::giveBack($waiter);
        self::assertIsArray(self::old()->lock('r', 60_000));
    }

    public function testAnOldClientThatCutsInDelaysTheWaitAndDoesNotEndIt(): void
    {
        $old = self::old();
        $held = $old->lock('r', 60_000);
        $waiter = $this->waiterInLine();
        for ($i = 0; $i < 3; ++$i) {
            $old->unlock($held);
            // In between the waiter may have had it for one server or for all of them.
            $held = $old->lock('r', 60_000);
            if ($held === false) {
                break;
            }
        }
        if ($held !== false) {
            self::assertNull($waiter->pollLine());
            $old->unlock($held);
        }
        self::assertGot($waiter);
        self::giveBack($waiter);
        self::assertNothingIsLeft();
    }

    public function testNobodyMeetsAnybodyInsideAndEverybodyGetsIn(): void
    {
        $witness = Witness::create();
        $args = ['servers' => self::$fleet->specs(3, 2.0), 'folder' => $witness->folder];
        $start = fn (string $code): ChildProcess => $this->php($code . self::TURNS, $args);
        $natives = array_map($start, array_fill(0, 4, self::NATIVE));
        $olds = array_map($start, array_fill(0, 2, self::OLD));
        $turns = array_map(PhpProcess::report(...), [...$natives, ...$olds]);
        self::assertSame(array_fill(0, 6, 10), $turns);
        self::assertSame([], $witness->overlaps());
        self::assertSame(60, $witness->count());
        self::assertNothingIsLeft();
    }

    private const NATIVE = '
        $locks = new RedLock\LockManager($args["servers"]);
        $take = fn () => $locks->acquire("r", 20000, null);
        $give = fn ($lease) => $lease->release();
    ';
    private const OLD = '
        $connect = fn ($s) => new RedLock\Harness\RespClient("tcp://127.0.0.1:$s[1]");
        $old = new RedLock\Tests\Support\LegacyRedLock(array_map($connect, $args["servers"]), 4, 10000);
        $take = fn () => $old->lock("r", 20000);
        $give = fn ($lock) => $old->unlock($lock);
    ';
    private const TURNS = '
        $witness = new RedLock\Harness\Witness($args["folder"]);
        for ($turn = 0; $turn < 10; ++$turn) {
            $lock = $take();
            $witness->enter((string) getmypid());
            usleep(500);
            $witness->leave();
            $give($lock);
            usleep(2000);
        }
        report($turn);
    ';
}
