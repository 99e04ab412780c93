<?php

/** Something that befalls a server or a client, and how long it lasts. */

declare(strict_types=1);

namespace RedLock\Soak;

final class Fault
{
    /**
     * @param float $wait seconds of health before it
     * @param string $kind as Schedule draws it
     * @param float $lasts seconds until the victim comes back
     */
    public function __construct(
        public readonly float $wait,
        public readonly string $kind,
        public readonly float $lasts,
    ) {
    }
}
