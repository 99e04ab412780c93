<?php

/** One stay inside: who, by which kind of lock, and from when to when it may rely on that, in microseconds on the clock of the machine. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Lease;

final class Stay
{
    public int $from;
    public int $to;
    public ?int $fence;

    /**
     * Straight after the lease was granted.
     *
     * @param list<string> $resources
     * @param int $fenceBefore the largest fence that was known when it was asked for
     */
    public function __construct(
        public readonly string $who,
        public string $kind,
        public readonly array $resources,
        public readonly int $fenceBefore,
        Lease $lease,
        public readonly int $permits = 0,
        public readonly string $slot = '',
    ) {
        $this->renew($lease);
        $this->become($kind, $lease->fence);
    }

    /** From now on it has another kind of lock. */
    public function become(string $kind, ?int $fence): void
    {
        $this->kind = $kind;
        $this->fence = $fence;
        $this->from = self::now();
    }

    /** Never too late an end: the clock is read first. */
    public function renew(Lease $lease): void
    {
        $this->to = self::now() + (int) ($lease->remaining() * 1000);
    }

    private static function now(): int
    {
        return intdiv(hrtime(true), 1000);
    }
}
