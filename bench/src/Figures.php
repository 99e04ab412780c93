<?php

declare(strict_types=1);

namespace Bench;

/** The figures the native classes have to reach, taken from the results of a run. */
final class Figures
{
    /**
     * @param array<string, mixed> $results by scenario
     * @return list<Figure>
     */
    public static function of(array $results): array
    {
        $of = [
            'loopback' => self::loopback(...),
            'delay' => self::delay(...),
            'one_stopped' => self::oneStopped(...),
            'contended_stopped' => self::contendedStopped(...),
            'all_stopped' => self::allStopped(...),
            'leases' => self::leases(...),
            'family' => FamilyFigures::family(...),
            'fence' => FamilyFigures::fence(...),
            'sharing' => FamilyFigures::sharing(...),
            'permits' => FamilyFigures::permits(...),
            'guard' => FamilyFigures::guard(...),
            'tls' => self::tls(...),
            'soak' => self::soak(...),
            'line' => LineFigures::line(...),
            'many_in_line' => LineFigures::many(...),
            'hand_over' => LineFigures::handOver(...),
            'killed_in_line' => LineFigures::killed(...),
        ];
        $figures = [];
        foreach (array_intersect_key($of, $results) as $scenario => $figuresOf) {
            array_push($figures, ...$figuresOf($results[$scenario]));
        }

        return $figures;
    }

    /**
     * @param array<string, mixed> $loopback
     * @return list<Figure>
     */
    private static function loopback(array $loopback): array
    {
        $figures = [];
        foreach (['split' => 'own CPU', 'shared' => 'one CPU for all'] as $placement => $where) {
            foreach ([1 => 1.10, 3 => 1.15, 5 => 1.15] as $count => $target) {
                $measured = $loopback[$placement][$count]['ratios']['native / limit'];
                $figures[] = new Figure("N=$count, $where: native / limit", '<=', $target, $measured);
            }
        }
        $measured = $loopback['split'][5]['ratios']['userland / native'];
        $figures[] = new Figure('N=5, own CPU: userland / native', '>=', 2.4, $measured);

        return $figures;
    }

    /**
     * @param array<string, mixed> $delay
     * @return list<Figure>
     */
    private static function delay(array $delay): array
    {
        $measured = $delay['lock_p50 / round_trip_p50']['native'];

        return [new Figure('1 ms each way, N=5: lock p50 / one round trip', '<=', 1.15, $measured)];
    }

    /**
     * @param array<string, mixed> $stopped
     * @return list<Figure>
     */
    private static function oneStopped(array $stopped): array
    {
        $measured = $stopped['lock_p99 stopped / healthy']['native'];

        return [new Figure('one of five stopped: lock p99 / healthy lock p99', '<=', 1.3, $measured)];
    }

    /**
     * @param array<string, mixed> $stopped
     * @return list<Figure>
     */
    private static function contendedStopped(array $stopped): array
    {
        $name = '4 processes contending, one of three stopped: locks/s / healthy locks/s';

        return [new Figure($name, '>=', 0.8, $stopped['stopped / healthy'])];
    }

    /**
     * @param array<string, mixed> $stopped
     * @return list<Figure>
     */
    private static function allStopped(array $stopped): array
    {
        $figures = [];
        foreach ($stopped['native'] as $case) {
            $name = sprintf(
                'all stopped, %d attempt%s, %s: longest call / its timeouts',
                $case['attempts'],
                $case['attempts'] === 1 ? '' : 's',
                $case['connected_before'] ? 'connected' : 'not connected',
            );
            $figures[] = new Figure($name, '<=', 1.1, $case['longest / budget']);
        }

        return $figures;
    }

    /**
     * @param array<string, mixed> $leases
     * @return list<Figure>
     */
    private static function leases(array $leases): array
    {
        ['loopback' => $loopback, 'delay' => $delay, 'kept' => $kept, 'idle' => $idle, 'lost' => $lost] = $leases;
        $figures = [
            new Figure('N=3: acquire + release / lock + unlock', '<=', 1.05, $loopback['lease / native']),
            new Figure('1 ms each way, N=5: acquire + end of scope / one round trip', '<=', 1.10,
                $delay['cycle_p50 / round_trip_p50']),
            new Figure('a kept lease: memory beside one that is not', '<=', 1024,
                $kept['memory']['kept_bytes'] - $kept['memory']['plain_bytes'], 'B'),
            new Figure('one kept lease: wake-ups per minute', '<=', 10, $idle['well']['wake_ups_per_minute']),
        ];
        foreach (['well' => 'all servers well', 'stopped' => 'one of three stopped'] as $state => $name) {
            $of = $kept[$state];
            $figures[] = new Figure("$kept[count] kept leases, $name: CPU of one core", '<=', 0.03, $of['cpu_share']);
            $figures[] = new Figure("$kept[count] kept leases, $name: lost", '<=', 0, (float) ($of['of'] - $of['live']));
        }
        $figures[] = new Figure("1 ms each way, $lost[count] leases taken away: noticed / (ttl/3 + 2 round trips)", '<=', 1.0,
            $lost['noticed_max_ms / bound']);
        $figures[] = new Figure('thrown by interrupt behind that', '<=', 20, $lost['thrown_max_ms'], 'ms');

        return $figures;
    }

    /**
     * @param array<string, mixed> $tls
     * @return list<Figure>
     */
    private static function tls(array $tls): array
    {
        return [
            new Figure('TLS, N=3, own CPU: lock + unlock / plain', '<=', 1.35, $tls['cycle: tls / plain']),
            new Figure('TLS, N=3: lock that connects again / plain', '<=', 2.0, $tls['reconnect: tls / plain']),
            new Figure('TLS 1.2, N=3: lock that connects again / plain', '<=', 2.0, $tls['reconnect: tls 1.2 / plain']),
            new Figure('1 ms each way, TLS: lock that connects again / plain', '<=', 2.0,
                $tls['reconnect behind 1 ms: tls / plain']),
        ];
    }

    /**
     * @param array<string, mixed> $soak
     * @return list<Figure>
     */
    private static function soak(array $soak): array
    {
        $process = number_format($soak['cycles'], 0, '.', ' ') . ' of 1 000 000 cycles in one process';
        $spread = $soak['descriptors_max'] - $soak['descriptors_min'];

        return [
            new Figure("$process: RSS growth", '<', 1024, $soak['rss_growth_kib'], 'KiB'),
            new Figure("$process: change of descriptors", '<=', 0, $spread, 'open'),
        ];
    }
}
