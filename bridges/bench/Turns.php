<?php

/** What the rounds of one contender have come to. */

declare(strict_types=1);

namespace RedLock\Bridges\Bench;

final class Turns
{
    /** @var list<float> of each round */
    private array $locksPerSecond = [];
    /** @var list<float> */
    private array $requests = [];
    private float $longest = 0.0;

    /** @param float $requests per lock and server */
    public function add(float $locksPerSecond, float $longestSeconds, float $requests): void
    {
        $this->locksPerSecond[] = $locksPerSecond;
        $this->requests[] = $requests;
        $this->longest = max($this->longest, $longestSeconds);
    }

    /** Two cells of the table, the locks also in shares of another's whose rounds stood next to its own: the median, and the longest wait. */
    public function beside(self $other): string
    {
        $ratios = array_map(static fn (float $here, float $there): float => $here / max(0.1, $there), $this->locksPerSecond, $other->locksPerSecond);
        return sprintf('%.0f', self::median($this->locksPerSecond)) . ($other === $this ? '' : sprintf(' (%.2f ×)', self::median($ratios)))
            . sprintf(' | %.1f s', $this->longest);
    }

    public function requests(): string
    {
        return sprintf('%.1f', self::median($this->requests));
    }

    /** @param non-empty-list<float> $of */
    private static function median(array $of): float
    {
        sort($of);
        return ($of[intdiv(count($of) - 1, 2)] + $of[intdiv(count($of), 2)]) / 2;
    }
}
