<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Budget;
use Bench\CommandCount;
use Bench\Lab;
use Bench\LineProcess;
use Bench\Placement;
use Bench\Rounds;
use Bench\Samples;

/** An acquire with a fence beside one without, on loopback and behind 1 ms each way, and the round trips that fences take on top. */
final class Fence
{
    private const SERVERS = 3;
    private const KINDS = ['lease', 'fenced'];

    /** Acquire and release, each a script with a fence. */
    private const SCRIPTS_PER_CYCLE = 2;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $settings = $lab->settings;
        $lab->place(Placement::Split);
        $loopback = self::measure($lab, $lab->ports(self::SERVERS), $settings->loopbackRounds, $settings->loopbackCycles, 'free');
        $lab->place(Placement::Free);
        $proxy = $lab->delayProxy($lab->ports(self::SERVERS));
        $delay = self::measure($lab, $proxy->hello['ports'], $settings->delayRounds, $settings->delayCycles, 'delay');

        return ['loopback' => $loopback, 'delay' => $delay, 'extra_round_trips' => self::extraRoundTrips($lab)];
    }

    /**
     * @param list<int> $ports
     * @return array<string, mixed>
     */
    private static function measure(Lab $lab, array $ports, int $count, int $cycles, string $budget): array
    {
        $contenders = array_combine(self::KINDS, array_map(static fn (string $kind) => $lab->worker($kind, $ports), self::KINDS));
        array_walk($contenders, static fn (LineProcess $process) => $process->ask('spin 5'));
        $rounds = [];
        foreach ((new Budget($lab->settings->seconds[$budget]))->rounds($count) as $round) {
            Rounds::measure($contenders, $rounds, $round, $cycles);
        }

        return array_map(static fn (Rounds $of) => $of->summary(), $rounds)
            + ['lock_p50: fenced / lease' => Samples::ratio($rounds['fenced']->column('lock_p50'), $rounds['lease']->column('lock_p50'))];
    }

    private static function extraRoundTrips(Lab $lab): float
    {
        $worker = $lab->worker('fenced', $lab->ports(self::SERVERS));
        $worker->ask('spin 5');
        $servers = array_slice($lab->servers, 0, self::SERVERS);
        $before = CommandCount::of($servers, 'eval|evalsha');
        $cycles = $lab->settings->stoppedCycles;
        $worker->ask("spin $cycles");
        // A reply to each is read before the next begins; a last release may be counted a moment later.
        $scripts = CommandCount::of($servers, 'eval|evalsha') - $before;

        return $scripts / self::SERVERS / $cycles - self::SCRIPTS_PER_CYCLE;
    }
}
