<?php

/** Where the demo can be watched. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Harness\Fleet;

interface Display
{
    public function open(Fleet $fleet, string $program, float $seconds): void;

    public function begin(Act $act): void;

    /** Called often; the display decides when to draw. */
    public function show(Act $act): void;

    /** Something happened. */
    public function note(Act $act, string $text): void;

    /** A longer text that belongs to the latest note. */
    public function quote(string $text): void;

    /** May be called more than once. */
    public function close(): void;
}
