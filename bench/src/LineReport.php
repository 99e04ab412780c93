<?php

declare(strict_types=1);

namespace Bench;

/** The tables of waiting in line, and of document 004's web test. */
final class LineReport
{
    /** @param array<string, mixed> $line */
    public static function line(array $line): string
    {
        $rows = [self::lineRow('', 'kernel', $line['kernel'])];
        foreach ($line['groups'] as $count => $kinds) {
            foreach ($kinds as $kind => $of) {
                $rows[] = self::lineRow("N=$count", $kind, $of);
            }
        }
        $title = sprintf(
            '%d clients want one resource for %g ms each (the ideal is 1 / hold as it was measured; FIFO waits clients × hold)',
            Settings::CLIENTS,
            Settings::HOLD_US / 1000,
        );

        return Table::text($title, ['', '', 'locks/s', 'of ideal', 'wait p50, p99, max ms', 'max / FIFO', 'hand-over p50, p99 µs',
            'release p50, p99 µs', 'commands/lock', 'overlaps'], $rows);
    }

    /** @param array<string, mixed> $of */
    public static function many(array $of): string
    {
        return sprintf(
            "Commands per lock of %d clients on %d servers: %.2f, of %d clients %.2f (%.2f)\n",
            $of['clients'],
            $of['servers'],
            $of['commands_per_lock'],
            Settings::CLIENTS,
            $of['commands_per_lock_of_few'],
            $of['many / few'],
        );
    }

    /** @param array<int, array<string, float>> $groups */
    public static function handOver(array $groups): string
    {
        $rows = [];
        foreach ($groups as $count => $of) {
            $rows[] = ["N=$count", sprintf('%.2f', $of['one_way_us'] / 1e3), sprintf('%.2f', $of['p50_us'] / 1e3),
                sprintf('%.2f', $of['p99_us'] / 1e3), sprintf('%.2f', $of['p50 / one_way'])];
        }

        return Table::text('Hand-over behind 1 ms each way, ms', ['', 'one way', 'p50', 'p99', 'p50 / one way'], $rows);
    }

    /** @param array<string, mixed> $of */
    public static function killed(array $of): string
    {
        return sprintf(
            "First waiter killed -9: the next is served after %.0f µs, a usual hand-over takes %.0f µs (%.2f)\n"
            . "Holder killed -9: the next is served p50 %.1f, max %.1f ms after the end of its ttl\n",
            $of['past_a_dead_waiter_us'],
            $of['hand_over_us'],
            $of['dead waiter / usual'],
            $of['after_the_ttl_ms']['p50'],
            $of['after_the_ttl_ms']['max'],
        );
    }

    /** @param array<string, mixed> $web */
    public static function web(array $web): string
    {
        if (isset($web['missing'])) {
            return "Document 004's web test was left out: there is no $web[missing]\n";
        }
        $rows = [['the document, no pause', '49', '', '9800', '', ''], ['the document, pauses', '35', '', '', '', 'some']];
        foreach ($web as $name => $of) {
            $rows[] = [$name, sprintf('%.0f', $of['requests_per_second']), vsprintf('%.0f, %.0f, %.0f', array_values($of['wait_ms'])),
                sprintf('%.0f, %.0f', $of['release_us']['p50'], $of['release_us']['p99']), (string) $of['overlaps'],
                (string) $of['failed']];
        }
        $title = sprintf(
            'ab -n -c%d on a page that holds a lock for %g ms, nginx and php-fpm (at most %d requests/s)',
            Settings::CLIENTS,
            Settings::HOLD_US / 1000,
            1e6 / Settings::HOLD_US,
        );

        return Table::text($title, ['', 'requests/s', 'wait p50, p99, max ms', 'release p50, p99 µs', 'overlaps', 'failed'], $rows);
    }

    /**
     * @param array<string, mixed> $of
     * @return list<string>
     */
    private static function lineRow(string $group, string $kind, array $of): array
    {
        return [$group, $kind, sprintf('%.0f', $of['locks_per_second']), sprintf('%.1f %%', 100 * $of['share_of_ideal']),
            vsprintf('%.0f, %.0f, %.0f', array_values($of['wait_ms'])), sprintf('%.2f', $of['longest / fifo']),
            vsprintf('%.0f, %.0f', array_values($of['hand_over_us'])), vsprintf('%.0f, %.0f', array_values($of['release_us'])),
            isset($of['commands_per_lock']) ? sprintf('%.1f', $of['commands_per_lock']) : '', (string) $of['overlaps']];
    }
}
