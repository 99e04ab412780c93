<?php

/** The witness tells an overlap that the machine is to blame for from one that nothing explains. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use PHPUnit\Framework\TestCase;
use RedLock\Harness\Wait;
use RedLock\Harness\Witness;

final class WitnessTest extends TestCase
{
    public function testAnOverlapIsExplainedWhereWhoeverWasMetHadOverstayedByThen(): void
    {
        [$overlaps, $witness] = $this->meet(static fn (Witness $first) => $first->overstayed(Wait::now() - 5.0));
        self::assertCount(1, $overlaps);
        self::assertEqualsWithDelta(5.0, $witness->overstay($overlaps[0]), 1.0);
    }

    public function testAnOverlapIsUnexplainedWhereHeOverstayedOnlyLaterOrNotAtAll(): void
    {
        foreach ([static fn () => null, static fn (Witness $first) => $first->overstayed(Wait::now() + 0.001)] as $tell) {
            [$overlaps, $witness] = $this->meet($tell);
            self::assertCount(1, $overlaps);
            self::assertNull($witness->overstay($overlaps[0]));
        }
    }

    public function testAnOverstayOfSomebodyElseExplainsNothing(): void
    {
        [$overlaps, $witness] = $this->meet(
            static fn (Witness $first, Witness $second) => $second->overstayed(Wait::now() - 5.0),
        );
        self::assertNull($witness->overstay($overlaps[0]));
    }

    /** @return array{list<string>, Witness} what a second one inside leaves behind, and the first one's witness */
    private function meet(callable $tell): array
    {
        $first = Witness::create();
        $second = new Witness($first->folder);
        $first->enter('group 1 client 0');
        $second->enter('group 1 client 1');
        $tell($first, $second);
        $first->leave();
        $second->leave();

        return [$first->overlaps(), $first];
    }
}
