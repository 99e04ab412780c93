<?php

/** How long the workers of an act are inside, how long they rest, and how long their locks last. */

declare(strict_types=1);

namespace RedLock\Demo;

final class Tempo
{
    public function __construct(
        public readonly int $insideMs,
        public readonly int $restMs,
        public readonly float $leaseSeconds,
    ) {
    }

    /** What a worker does, for whoever reads the numbers. */
    public function rhythm(): string
    {
        $most = 1000 / $this->insideMs;
        $text = 'Each asks, waits, is %d ms inside, rests %d ms: at most %s turns a second.';
        return sprintf($text, $this->insideMs, $this->restMs, $most >= 10 ? floor($most) : sprintf('%.1f', $most));
    }
}
