<?php

declare(strict_types=1);

namespace Bench;

use RedLock\Harness\Monitor;

/** Many processes that take turns on one resource: a pass of them, and what it comes to. */
final class Crowd
{
    private const SECONDS_MAX = 120.0;

    /** Few enough to watch, and as many a client as a thousand have time for. */
    private const COUNTED_PER_CLIENT = 3;

    /**
     * @param list<int> $ports
     * @param ?callable(): void $before called when all are connected
     * @return array<string, mixed> the samples of one pass
     */
    public static function pass(
        Lab $lab,
        string $kind,
        array $ports,
        int $clients,
        int $requests,
        ?callable $before = null,
        int $holdUs = Settings::HOLD_US,
        int $rampUs = 0,
    ): array {
        $contention = $lab->contention($kind, $ports, $clients, $requests, $holdUs, $rampUs);
        if ($before !== null) {
            $before();
        }
        $answer = $contention->ask('go', self::SECONDS_MAX);
        $contention->end();

        return $answer;
    }

    /** What clients sent to all servers together, from the first wait of each on. */
    public static function commandsPerLock(Lab $lab, string $kind, int $count, int $clients, int $rampUs = 0): float
    {
        $lab->say("commands of $clients clients, $kind, $count server(s)");
        $monitors = [];
        $watch = static function () use ($lab, $count, &$monitors): void {
            foreach (array_slice($lab->servers, 0, $count) as $server) {
                $monitors[] = new Monitor($server);
            }
        };
        $pass = self::pass($lab, $kind, $lab->ports($count), $clients, self::COUNTED_PER_CLIENT * $clients, $watch,
            rampUs: $rampUs);
        $sent = array_sum(array_map(static fn (Monitor $monitor) => count($monitor->commands()), $monitors));

        return $sent / count($pass['wait_ns']);
    }

    /**
     * @param non-empty-list<array<string, mixed>> $passes
     * @return array<string, mixed>
     */
    public static function summarise(array $passes): array
    {
        $waitNs = array_merge(...array_column($passes, 'wait_ns'));
        $waitMs = static fn (float $share) => Samples::quantile($waitNs, $share) / 1e6;
        $perSecond = static fn (array $pass) => count($pass['wait_ns']) / ($pass['elapsed_ns'] / 1e9);

        return [
            'locks' => count($waitNs),
            'overlaps' => array_sum(array_column($passes, 'overlaps')),
            'locks_per_second' => Samples::median(array_map($perSecond, $passes)),
            'wait_ms' => ['p50' => $waitMs(0.50), 'p99' => $waitMs(0.99), 'max' => $waitMs(1.0)],
            'release_us' => self::quantilesUs($passes, 'release_ns'),
        ];
    }

    /**
     * @param non-empty-list<array<string, mixed>> $passes
     * @return array{p50: float, p99: float}
     */
    public static function quantilesUs(array $passes, string $column): array
    {
        $ns = array_merge(...array_column($passes, $column));

        return ['p50' => Samples::quantile($ns, 0.50) / 1e3, 'p99' => Samples::quantile($ns, 0.99) / 1e3];
    }
}
