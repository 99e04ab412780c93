<?php

/** Something that happens to the servers at a certain second of an act. */

declare(strict_types=1);

namespace RedLock\Demo;

final class Incident
{
    /** @param \Closure(): mixed $action a string that it returns is shown below the text */
    public function __construct(
        public readonly float $at,
        public readonly string $text,
        public readonly \Closure $action,
    ) {
    }
}
