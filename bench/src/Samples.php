<?php

declare(strict_types=1);

namespace Bench;

/** The few statistics the bench uses, each a pure function of a list of numbers. */
final class Samples
{
    /**
     * The nearest-rank quantile: a value that was measured, never one between two.
     *
     * @param non-empty-list<int|float> $samples
     */
    public static function quantile(array $samples, float $share): float
    {
        sort($samples);

        return (float) $samples[max(0, (int) ceil($share * count($samples)) - 1)];
    }

    /** @param non-empty-list<int|float> $samples */
    public static function median(array $samples): float
    {
        sort($samples);
        $middle = intdiv(count($samples), 2);

        return count($samples) % 2 === 1
            ? (float) $samples[$middle]
            : ($samples[$middle - 1] + $samples[$middle]) / 2;
    }

    /** @param non-empty-list<int|float> $samples */
    public static function mean(array $samples): float
    {
        return array_sum($samples) / count($samples);
    }

    /**
     * The median of the ratios round by round: both of a round were measured next to each other, so
     * noise that comes and goes hits both.
     *
     * @param non-empty-list<float> $numerators
     * @param non-empty-list<float> $denominators
     */
    public static function ratio(array $numerators, array $denominators): float
    {
        return self::median(array_map(static fn ($a, $b) => $a / $b, $numerators, $denominators));
    }
}
