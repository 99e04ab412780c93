<?php

/** Readers and writers in one line: nobody overtakes a writer who waits, and readers come in together. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;
use RedLock\Tests\Support\LineTestCase;

final class SharedTest extends LineTestCase
{
    private function readerInLine(int $place): ChildProcess
    {
        return $this->waiterInLine($place, ['method' => 'acquireShared']);
    }

    private static function reading(): Lease
    {
        return (new LockManager(self::$fleet->specs(3, 2.0)))->acquireShared('r', 60_000) ?? self::fail("'r' could not be read");
    }

    public function testNoReaderOvertakesAWriterWhoWaits(): void
    {
        $reading = self::reading();
        $writer = $this->waiterInLine(1);
        self::assertNull((new LockManager(self::$fleet->specs(3, 2.0)))->acquireShared('r'));
        $behind = $this->readerInLine(2);
        $reading->release();
        self::assertGot($writer, 'the writer');
        self::assertNull($behind->pollLine());
        self::giveBack($writer);
        self::assertGot($behind, 'the reader behind him');
        self::giveBack($behind);
        self::assertNothingIsLeft();
    }

    public function testAWriterGetsInOnlyOnceTheLastReaderIsGone(): void
    {
        $reading = [self::reading(), self::reading()];
        $writer = $this->waiterInLine(1);
        $reading[0]->release();
        self::assertTrue($reading[1]->confirm());
        self::assertNull($writer->pollLine());
        $free = Wait::now();
        $reading[1]->release();
        self::assertLessThan(self::AT_ONCE, self::assertGot($writer)['at'] - $free);
    }

    public function testReadersThatWaitComeInTogetherAndNoneBehindTheNextWriter(): void
    {
        $held = self::holding();
        $readers = [$this->readerInLine(1), $this->readerInLine(2), $this->readerInLine(3)];
        $writer = $this->waiterInLine(4);
        $late = $this->readerInLine(5);
        $held->release();
        foreach ($readers as $reader) {
            self::assertGot($reader, 'a reader');
        }
        self::assertNull($writer->pollLine());
        self::assertNull($late->pollLine());
        array_map(self::giveBack(...), $readers);
        self::assertGot($writer, 'the writer');
        self::assertNull($late->pollLine());
        self::giveBack($writer);
        self::assertGot($late, 'the reader behind the writer');
    }

    public function testAWriterIsNotStarvedByReadersThatNeverStop(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"]);
            report("begun");
            for ($i = 0; !file_exists($args["stop"]); ++$i) {
                $lease = $locks->acquireShared("r", 30_000, 60_000);
                usleep(random_int(5_000, 20_000));
                $lease->release();
            }
            report($i);';
        $stop = sys_get_temp_dir() . '/redlock-stop-' . bin2hex(random_bytes(6));
        $readers = array_map(fn () => $this->php($code, ['servers' => self::$fleet->specs(3, 2.0), 'stop' => $stop]), range(1, 4));
        array_map(static fn (ChildProcess $reader) => self::assertSame('begun', PhpProcess::report($reader)), $readers);
        $locks = new LockManager(self::$fleet->specs(3, 2.0));
        try {
            for ($i = 0; $i < 10; ++$i) {
                $lease = $locks->acquire('r', 30_000, 10_000);
                self::assertNotNull($lease, 'the writer starved');
                self::assertTrue($lease->confirm());
                $lease->release();
            }
        } finally {
            touch($stop);
        }
        foreach ($readers as $reader) {
            self::assertGreaterThan(0, PhpProcess::report($reader));
        }
        unlink($stop);
    }

    public function testWhenAWriterGivesUpTheReadersBehindHimComeInBesideTheOthers(): void
    {
        $reading = self::reading();
        $writer = $this->waiterInLine(1, ['wait' => 3_000]);
        $behind = $this->readerInLine(2);
        self::assertGot($behind, 'the reader');
        self::assertFalse(PhpProcess::report($writer)['got']);
        self::assertTrue($reading->confirm());
    }

    public function testADemotionLetsReadersInThatWait(): void
    {
        $held = self::holding();
        $readers = [$this->readerInLine(1), $this->readerInLine(2)];
        self::assertTrue($held->demote());
        foreach ($readers as $reader) {
            self::assertGot($reader, 'a reader');
        }
        self::assertTrue($held->confirm());
        self::assertNull(self::locks()->acquire('r'));
    }

    public function testADemotionLetsNoReaderOvertakeAWriterWhoWaits(): void
    {
        $held = self::holding();
        $writer = $this->waiterInLine(1);
        $reader = $this->readerInLine(2);
        self::assertTrue($held->demote());
        self::assertTrue($held->confirm());
        self::assertNull($reader->pollLine());
        $held->release();
        self::assertGot($writer, 'the writer');
        self::giveBack($writer);
        self::assertGot($reader, 'the reader');
    }
}
