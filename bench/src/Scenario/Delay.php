<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Budget;
use Bench\Lab;
use Bench\Placement;
use Bench\Rounds;
use Bench\Samples;

/** Five servers behind a proxy that delays 1 ms each way: lock() against one bare round trip. */
final class Delay
{
    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $proxy = $lab->delayProxy($lab->ports());
        $contenders = $lab->contenders($proxy->hello['ports']);
        array_map(static fn ($contender) => $contender->ask('cycles 5'), $contenders);
        $rounds = [];
        $roundTrips = [];
        $cycles = $lab->settings->delayCycles;
        foreach ((new Budget($lab->settings->seconds['delay']))->rounds($lab->settings->delayRounds) as $round) {
            $samplesNs = $contenders['limit']->ask('round_trips ' . 2 * $cycles)['round_trip_ns'];
            $roundTrips[] = Samples::median($samplesNs) / 1000;
            Rounds::measure($contenders, $rounds, $round, $cycles);
        }
        array_map(static fn ($contender) => $contender->end(), $contenders);

        return ['round_trip_p50_us' => Samples::median($roundTrips)]
            + array_map(static fn (Rounds $of) => $of->summary(), $rounds)
            + ['lock_p50 / round_trip_p50' => array_map(
                static fn (Rounds $of) => Samples::ratio($of->column('lock_p50'), $roundTrips),
                $rounds,
            )];
    }
}
