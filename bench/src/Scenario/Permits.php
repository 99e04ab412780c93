<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Crowd;
use Bench\Lab;
use Bench\Lock;
use Bench\Placement;
use Bench\Samples;
use Bench\Settings;

/** A hundred clients that want one of ten permits for 50 ms each, beside what others have for it, on one server. */
final class Permits
{
    private const COUNTS = [1, 3];
    private const HOLD_US = 50_000;
    private const REQUESTS_PER_PERMIT = 100;

    /** @return array<string, array<string, mixed>> by what it is */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $results = [];
        foreach (self::COUNTS as $count) {
            $results["permit, N=$count"] = self::measure($lab, 'permit', $count);
        }
        foreach (array_intersect(['symfony-semaphore', 'funnel'], Lab::peers()) as $peer) {
            $results["$peer, N=1"] = self::measure($lab, $peer, 1);
        }

        return $results;
    }

    /** @return array<string, mixed> */
    private static function measure(Lab $lab, string $kind, int $count): array
    {
        $lab->say("permits: $kind, $count server(s)");
        $requests = Lock::PERMITS * ($lab->settings->quick ? self::REQUESTS_PER_PERMIT / 2 : self::REQUESTS_PER_PERMIT);
        $pass = Crowd::pass($lab, $kind, $lab->ports($count), Settings::CLIENTS, (int) $requests, null, self::HOLD_US);
        $holdSeconds = Samples::mean($pass['hold_ns']) / 1e9;
        $summary = Crowd::summarise([$pass]);

        return $summary + [
            'permits' => Lock::PERMITS,
            'hold_mean_us' => $holdSeconds * 1e6,
            'inside_max' => $pass['inside']['max'],
            'share_of_ideal' => $summary['locks_per_second'] * $holdSeconds / Lock::PERMITS,
        ];
    }
}
