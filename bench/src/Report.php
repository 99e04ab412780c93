<?php

declare(strict_types=1);

namespace Bench;

/** The results as tables: plain text for the terminal, and the figures for the page under docs/bench. */
final class Report
{
    private const KINDS = ['limit', 'native', 'userland'];

    /**
     * @param array<string, mixed> $results by scenario
     * @param list<Figure> $figures
     */
    public static function text(array $results, array $figures): string
    {
        $sections = [
            'loopback' => self::loopback(...),
            'delay' => self::delay(...),
            'one_stopped' => self::oneStopped(...),
            'all_stopped' => self::allStopped(...),
            'contention' => self::contention(...),
            'contended_stopped' => self::contendedStopped(...),
            'line' => LineReport::line(...),
            'many_in_line' => LineReport::many(...),
            'hand_over' => LineReport::handOver(...),
            'killed_in_line' => LineReport::killed(...),
            'web' => LineReport::web(...),
            'sharing' => FamilyReport::sharing(...),
            'permits' => FamilyReport::permits(...),
            'capacity' => CapacityReport::text(...),
        ];
        $texts = [];
        foreach (array_intersect_key($sections, $results) as $scenario => $section) {
            $texts[] = $section($results[$scenario]);
        }

        return implode("\n", [...$texts, self::figures($figures)]);
    }

    /** @param list<Figure> $figures */
    public static function figures(array $figures): string
    {
        return Table::text('Figures to reach', ['', 'target', 'measured', ''], self::rows($figures));
    }

    /** @param list<Figure> $figures */
    public static function figuresPage(array $figures): string
    {
        return Table::markdown(['figure to reach', 'target', 'measured', ''], self::rows($figures));
    }

    /**
     * @param list<Figure> $figures
     * @return list<array{string, string, string, string}>
     */
    private static function rows(array $figures): array
    {
        return array_map(static fn (Figure $figure) => $figure->row(), $figures);
    }

    /** @param array<string, mixed> $loopback */
    private static function loopback(array $loopback): string
    {
        $rows = [];
        foreach ($loopback as $placement => $groups) {
            foreach ($groups as $group => $of) {
                $cells = array_map(static fn ($kind) => sprintf(
                    '%.1f, %.1f (%.1f)',
                    $of[$kind]['cycle_p50'],
                    $of[$kind]['cycle_p99'],
                    $of[$kind]['cycle_mean'],
                ), self::KINDS);
                $ratios = array_map(
                    static fn (float $ofP50, float $ofMeans) => sprintf('%.2f (%.2f)', $ofP50, $ofMeans),
                    array_values($of['ratios']),
                    array_values($of['ratios_of_means']),
                );
                $rows[] = [$placement, $group === 'pid' ? 'PidLock' : "N=$group", ...$cells, ...$ratios];
            }
        }

        $title = 'Uncontended on loopback, µs per lock+unlock: p50, p99 (mean), and ratios of p50 (of means)';

        return Table::text($title, ['CPUs', '', ...self::KINDS, 'native/limit', 'userland/native',
            'userland/limit'], $rows);
    }

    /** @param array<string, mixed> $delay */
    private static function delay(array $delay): string
    {
        $rows = [['one round trip', sprintf('%.2f', $delay['round_trip_p50_us'] / 1000), '', '', '1.00']];
        foreach (self::KINDS as $kind) {
            $rows[] = [$kind, self::ms($delay[$kind]['lock_p50']), self::ms($delay[$kind]['lock_p99']),
                self::ms($delay[$kind]['unlock_p50']), self::ratio($delay['lock_p50 / round_trip_p50'][$kind])];
        }

        return Table::text('N=5 behind 1 ms each way, ms', ['', 'lock p50', 'lock p99', 'unlock p50',
            'lock p50/round trip'], $rows);
    }

    /** @param array<string, mixed> $one */
    private static function oneStopped(array $one): string
    {
        $rows = [];
        foreach (array_keys($one['stopped']) as $kind) {
            [$healthy, $stopped] = [$one['healthy'][$kind], $one['stopped'][$kind]];
            $rows[] = [$kind, sprintf('%.1f, %.1f', $healthy['lock_p50'], $healthy['lock_p99']),
                sprintf('%.1f, %.1f', $stopped['lock_p50'], $stopped['lock_p99']),
                self::ratio($one['lock_p99 stopped / healthy'][$kind])];
        }

        return Table::text('N=5, one server stopped, µs: lock p50, p99', ['', 'healthy', 'one stopped',
            'p99 stopped/healthy'], $rows) . self::userlandStopped('one', $one['userland']);
    }

    /** @param array<string, mixed> $all */
    private static function allStopped(array $all): string
    {
        $text = '';
        foreach ($all['native'] as $case) {
            $outcomes = implode(', ', array_keys($case['outcomes']));
            $text .= sprintf(
                "native, all stopped, %d attempt(s), %s: at most %.1f ms of %d ms in %d calls: %s\n",
                $case['attempts'],
                $case['connected_before'] ? 'connected' : 'not connected',
                $case['longest_ms'],
                $case['budget_ms'],
                $case['calls'],
                $outcomes,
            );
        }

        return $text . self::userlandStopped('all', $all['userland']);
    }

    /** @param array<string, mixed> $call */
    private static function userlandStopped(string $which, array $call): string
    {
        return sprintf(
            "userland, %s stopped: %s after %.0f ms (default_socket_timeout %g s; PHP's default is 60 s)\n",
            $which,
            $call['outcome'],
            $call['returned_after_ms'],
            $call['default_socket_timeout_s'],
        );
    }

    /** @param array<string, mixed> $contention */
    private static function contention(array $contention): string
    {
        $rows = [];
        foreach ($contention as $group => $kinds) {
            foreach ($kinds as $kind => $of) {
                $rows[] = [$group === 'pid' ? 'PidLock' : "N=$group", $kind, sprintf('%.0f', $of['locks_per_second']),
                    vsprintf('%.0f, %.0f, %.0f', array_values($of['wait_ms'])),
                    sprintf('%.0f, %.0f', $of['release_us']['p50'], $of['release_us']['p99']),
                    sprintf('%.1f (%.1f)', $of['commands_sent_per_lock'], $of['commands_executed_per_lock']),
                    (string) $of['overlaps']];
            }
        }

        $title = sprintf('%d processes contending, hold %g ms', Settings::CLIENTS, Settings::HOLD_US / 1000);

        return Table::text($title, ['', '', 'locks/s', 'wait p50, p99, max ms', 'release p50, p99 µs',
            'commands/lock (with scripts\' own)', 'overlaps'], $rows);
    }

    /** @param array<string, float|int> $of */
    private static function contendedStopped(array $of): string
    {
        return sprintf(
            "4 processes contending on 3 servers, hold 2 ms, timeout 500 ms: %.0f locks/s, with one stopped %.0f (%.2f), overlaps %d\n",
            $of['healthy'],
            $of['stopped'],
            $of['stopped / healthy'],
            $of['overlaps'],
        );
    }

    private static function ms(float $us): string
    {
        return sprintf('%.2f', $us / 1000);
    }

    private static function ratio(float $ratio): string
    {
        return sprintf('%.2f', $ratio);
    }
}
