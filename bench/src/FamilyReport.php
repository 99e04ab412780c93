<?php

declare(strict_types=1);

namespace Bench;

/** The tables of readers with writers, and of permits beside what others have for them. */
final class FamilyReport
{
    private const LEFT_OUT = [
        'symfony-semaphore' => "symfony/semaphore was left out: composer could not fetch it\n",
        'funnel' => "Laravel's funnel was left out: composer could not fetch laravel/framework\n",
    ];

    /** @param array<string, mixed> $of */
    public static function sharing(array $of): string
    {
        return sprintf(
            "%d readers and %d writers, %g ms each, N=3: %.0f locks/s; a writer waits at most %.0f ms, FIFO's is %.0f ms (%.2f); readers"
            . " inside: %.1f in the mean, %d at most; overlaps %d\n",
            $of['readers'],
            $of['writers'],
            $of['hold_ms'],
            $of['locks_per_second'],
            $of['writers_longest_ms'],
            $of['fifo_ms'],
            $of['writers_longest / fifo'],
            $of['readers_inside']['mean'],
            $of['readers_inside']['max'],
            $of['overlaps'],
        );
    }

    /** @param array<string, array<string, mixed>> $permits */
    public static function permits(array $permits): string
    {
        $rows = [];
        foreach ($permits as $name => $of) {
            $rows[] = [$name, sprintf('%.0f', $of['locks_per_second']), sprintf('%.1f %%', 100 * $of['share_of_ideal']),
                vsprintf('%.0f, %.0f, %.0f', array_values($of['wait_ms'])),
                vsprintf('%.0f, %.0f', array_values($of['release_us'])), (string) $of['inside_max']];
        }
        $title = sprintf('%d clients want one of %d permits (the ideal is permits / hold as it was measured)', Settings::CLIENTS,
            Lock::PERMITS);
        $missing = array_diff_key(self::LEFT_OUT, array_flip(Lab::peers()));

        return Table::text($title, ['', 'permits/s', 'of ideal', 'wait p50, p99, max ms', 'release p50, p99 µs', 'inside at most'], $rows)
            . implode('', $missing);
    }
}
