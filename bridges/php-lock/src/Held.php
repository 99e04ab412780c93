<?php

/** A lock that some code runs under. */

declare(strict_types=1);

namespace RedLock\PhpLock;

use RedLock\LeaseInterface;

/** @internal */
final class Held
{
    private readonly int $process;
    private readonly float $since;

    public function __construct(public readonly LeaseInterface $lease)
    {
        $this->process = getmypid();
        $this->since = hrtime(true) / 1e9;
    }

    /** In a process that was forked under it, it still is its parent's. */
    public function isOurs(): bool
    {
        return $this->process === getmypid();
    }

    /** In seconds. */
    public function elapsed(): float
    {
        return hrtime(true) / 1e9 - $this->since;
    }
}
