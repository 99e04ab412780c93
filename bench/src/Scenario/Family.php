<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Budget;
use Bench\Lab;
use Bench\LineProcess;
use Bench\Placement;
use Bench\Rounds;
use Bench\Samples;

/** What ten resources at once cost beside one, and a shared lock beside an exclusive one: on loopback and behind 1 ms each way. */
final class Family
{
    private const SERVERS = 3;
    private const SHARED_SERVERS = 5;

    /** @return array<string, array<string, mixed>> */
    public static function run(Lab $lab): array
    {
        $settings = $lab->settings;
        $lab->place(Placement::Split);
        $loopback = self::measure($lab, $lab->ports(self::SHARED_SERVERS), $settings->loopbackRounds, $settings->loopbackCycles, 'free');
        $lab->place(Placement::Free);
        $proxy = $lab->delayProxy($lab->ports(self::SHARED_SERVERS));
        $delay = self::measure($lab, $proxy->hello['ports'], $settings->delayRounds, $settings->delayCycles, 'delay');

        return ['loopback' => $loopback, 'delay' => $delay];
    }

    /**
     * @param list<int> $ports
     * @return array<string, mixed>
     */
    private static function measure(Lab $lab, array $ports, int $count, int $cycles, string $budget): array
    {
        $few = array_slice($ports, 0, self::SERVERS);
        $contenders = ['lease' => $lab->worker('lease', $few), 'ten' => $lab->worker('ten', $few),
            'exclusive' => $lab->worker('lease', $ports), 'shared' => $lab->worker('shared', $ports)];
        array_walk($contenders, static fn (LineProcess $process) => $process->ask('spin 5'));
        $rounds = [];
        foreach ((new Budget($lab->settings->seconds[$budget]))->rounds($count) as $round) {
            Rounds::measure($contenders, $rounds, $round, $cycles);
        }
        $cycle = static fn (string $kind): array => $rounds[$kind]->column('cycle_p50');

        return array_map(static fn (Rounds $of) => $of->summary(), $rounds)
            + ['ten / lease' => Samples::ratio($cycle('ten'), $cycle('lease')),
                'shared / exclusive' => Samples::ratio($cycle('shared'), $cycle('exclusive'))];
    }
}
