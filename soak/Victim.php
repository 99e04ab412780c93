<?php

/** A server or a client to which faults happen. */

declare(strict_types=1);

namespace RedLock\Soak;

interface Victim
{
    public function suffer(Fault $fault): void;

    public function recover(Fault $fault): void;
}
