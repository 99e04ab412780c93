<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Budget;
use Bench\Lab;
use Bench\Placement;

/** A million lock/unlock cycles of the native class in one process: memory and descriptors. */
final class Soak
{
    private const SERVERS = 3;
    private const WARM_UP_CYCLES = 2000;
    private const CHUNKS = 50;
    private const CHUNK_SECONDS_MAX = 120.0;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Split);
        $worker = $lab->worker('native', $lab->ports(self::SERVERS));
        $failed = $worker->ask('spin ' . self::WARM_UP_CYCLES)['failed'];
        $samples = [self::sample(0, $worker->pid)];
        $chunk = intdiv($lab->settings->soakCycles, self::CHUNKS);
        foreach ((new Budget($lab->settings->seconds['soak']))->rounds(self::CHUNKS) as $round) {
            $failed += $worker->ask("spin $chunk", self::CHUNK_SECONDS_MAX)['failed'];
            $samples[] = self::sample(($round + 1) * $chunk, $worker->pid);
        }
        $rss = array_column($samples, 'rss_kib');
        $descriptors = array_column($samples, 'descriptors');

        return ['servers' => self::SERVERS, 'cycles' => max(array_column($samples, 'cycles')), 'failed' => $failed,
            'rss_growth_kib' => max($rss) - $rss[0], 'descriptors_min' => min($descriptors),
            'descriptors_max' => max($descriptors), 'samples' => $samples];
    }

    /** @return array{cycles: int, rss_kib: int, descriptors: int} */
    private static function sample(int $cycles, int $pid): array
    {
        // VmRSS in status lags behind by the kernel's per-CPU counters; the roll-up is exact.
        preg_match('/^Rss:\s+(\d+)/m', (string) file_get_contents("/proc/$pid/smaps_rollup"), $match);

        return ['cycles' => $cycles, 'rss_kib' => (int) $match[1],
            'descriptors' => count(scandir("/proc/$pid/fd") ?: []) - 2];
    }
}
