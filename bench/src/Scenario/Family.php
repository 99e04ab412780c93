<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Budget;
use Bench\Lab;
use Bench\Placement;
use Bench\Rounds;
use Bench\Samples;

/** What ten resources at once cost beside one, and a shared lock beside an exclusive one. */
final class Family
{
    private const SERVERS = 3;
    private const SHARED_SERVERS = 5;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Split);
        $ports = $lab->ports(self::SERVERS);
        $contenders = [];
        foreach (['lease', 'ten'] as $kind) {
            $contenders[$kind] = $lab->worker($kind, $ports);
        }
        $ports = $lab->ports(self::SHARED_SERVERS);
        $contenders += ['exclusive' => $lab->worker('lease', $ports), 'shared' => $lab->worker('shared', $ports)];
        $rounds = [];
        foreach ((new Budget($lab->settings->seconds['free']))->rounds($lab->settings->loopbackRounds) as $round) {
            Rounds::measure($contenders, $rounds, $round, $lab->settings->loopbackCycles);
        }
        $one = $rounds['lease']->column('cycle_p50');

        return array_map(static fn (Rounds $of) => $of->summary(), $rounds)
            + ['ten / lease' => Samples::ratio($rounds['ten']->column('cycle_p50'), $one),
                'shared / exclusive' => Samples::ratio($rounds['shared']->column('cycle_p50'), $rounds['exclusive']->column('cycle_p50'))];
    }
}
