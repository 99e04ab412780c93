<?php

/** One worker as the main program sees it. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Harness\ChildProcess;

final class Worker
{
    public int $turns = 0;
    public int $lastWaitUs = 0;
    public int $longestWaitUs = 0;
    /** Since when it has been waiting, in nanoseconds; null: it is not. */
    public ?int $asksSinceNs = null;
    public bool $done = false;
    public bool $killed = false;

    public function __construct(
        public readonly string $name,
        public readonly string $kind,
        public readonly ChildProcess $process,
    ) {
    }
}
