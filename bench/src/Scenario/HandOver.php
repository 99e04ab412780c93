<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Crowd;
use Bench\Lab;
use Bench\Placement;
use Bench\Samples;

/**
 * Two processes that hand one lock to each other through a proxy that delays 1 ms each way: from the
 * holder's first word of release to the waiter's return, in delays of one way.
 */
final class HandOver
{
    private const COUNTS = [3, 5];
    private const CLIENTS = 2;

    /** Longer than it takes the other one to stand in line again. */
    private const HOLD_US = 20000;
    private const ROUND_TRIPS = 200;

    /** @return array<int, array<string, float>> by the number of servers */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $results = [];
        foreach (self::COUNTS as $count) {
            $lab->say("hand-over: $count servers");
            $proxy = $lab->delayProxy($lab->ports($count));
            $limit = $lab->limit($proxy->hello['ports']);
            $limit->ask('cycles 5');
            $roundTripNs = $limit->ask('round_trips ' . self::ROUND_TRIPS)['round_trip_ns'];
            $limit->end();
            $oneWayUs = Samples::median($roundTripNs) / 2 / 1e3;
            $pass = Crowd::pass($lab, 'line', $proxy->hello['ports'], self::CLIENTS, $lab->settings->handOvers, null,
                self::HOLD_US);
            $handOver = Crowd::quantilesUs([$pass], 'hand_over_ns');
            $results[$count] = ['one_way_us' => $oneWayUs, 'p50_us' => $handOver['p50'], 'p99_us' => $handOver['p99'],
                'p50 / one_way' => $handOver['p50'] / $oneWayUs];
        }

        return $results;
    }
}
