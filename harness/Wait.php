<?php

/** Waiting for a condition, with a deadline instead of a sleep that hopes. */

declare(strict_types=1);

namespace RedLock\Harness;

final class Wait
{
    /** Returns what the condition gave as soon as that is truthy; throws when it never was. */
    public static function until(callable $condition, string $what, float $seconds = 10.0): mixed
    {
        $deadline = self::now() + $seconds;
        do {
            $value = $condition();
            if ($value) {
                return $value;
            }
            usleep(2_000);
        } while (self::now() < $deadline);
        throw new \RuntimeException("waited $seconds s in vain for $what");
    }

    /** Seconds on the monotonic clock, which all processes of a machine share. */
    public static function now(): float
    {
        return hrtime(true) / 1e9;
    }
}
