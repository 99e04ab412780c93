<?php

declare(strict_types=1);

namespace Bench;

/** The time one part of a run may take; on a busy machine it ends with fewer rounds, not later. */
final class Budget
{
    private readonly int $deadlineNs;

    public function __construct(float $seconds)
    {
        $this->deadlineNs = hrtime(true) + (int) ($seconds * 1e9);
    }

    public function isLeft(): bool
    {
        return hrtime(true) < $this->deadlineNs;
    }

    /**
     * Counts rounds from 0: at least one, at most `count`, and none that begins after the deadline.
     *
     * @return iterable<int>
     */
    public function rounds(int $count): iterable
    {
        for ($round = 0; $round < $count && ($round === 0 || $this->isLeft()); $round++) {
            yield $round;
        }
    }
}
