<?php

/** What the clients of a group do: by which lock, for how long they work under it, and what befalls their servers. */

declare(strict_types=1);

namespace RedLock\Soak;

final class Trade
{
    /**
     * @param float $lease for how long the lock is taken, in seconds
     * @param float $inside for how long they work under it
     * @param float $pauseMax the longest pause of the client that lives throughout: it must find out in time
     * @param bool $rolling one server after the other is restarted, and nothing else happens to them
     */
    private function __construct(
        public readonly string $kind,
        public readonly float $lease,
        public readonly float $inside,
        public readonly float $pauseMax,
        public readonly int $extendOneIn,
        public readonly bool $rolling,
    ) {
    }

    public static function redLock(): self
    {
        return new self('RedLock', Schedule::LEASE_SECONDS, 0.006, 0.3, 8, false);
    }

    public static function pidLock(): self
    {
        return new self('PidLock', Schedule::LEASE_SECONDS, 0.006, 0.3, 0, false);
    }

    /** Work that lasts for ten leases, which a thread keeps alive. */
    public static function leases(bool $rolling): self
    {
        return new self('LockManager', 0.5, 5.0, 0.04, 0, $rolling);
    }

    public function isKept(): bool
    {
        return $this->kind === 'LockManager';
    }

    public function key(): string
    {
        return $this->kind === 'PidLock' ? 'lock_pid:soak' : 'soak';
    }

    /** A value that stays for longer belongs to nobody any more. */
    public function orphanSeconds(): float
    {
        return 0.75 + ($this->isKept() ? $this->inside : 0.0);
    }

    /** No value may stay for longer. */
    public function keySecondsMax(): float
    {
        return $this->lease + 1.0 + ($this->isKept() ? $this->inside : 0.0);
    }

    /**
     * Of one client, for Turns.
     *
     * @return array<string, mixed>
     */
    public function plan(): array
    {
        $plan = [
            'kind' => $this->kind,
            'resource' => 'soak',
            'lease' => $this->lease,
            'pause' => 0.02,
            'attempts' => 5,
            'inside' => $this->inside,
            'rest' => [0.02, 0.08],
            'trouble_rest' => 0.05,
            'extend_one_in' => $this->extendOneIn,
        ];
        // Trust ends a fifth of the lease before the keys do: so long it may take to notice, and to get out.
        return $plan + ($this->isKept() ? ['look_every' => 0.005, 'drift_factor' => 0.2] : []);
    }
}
