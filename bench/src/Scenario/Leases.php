<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Budget;
use Bench\Lab;
use Bench\Placement;
use Bench\Rounds;
use Bench\Samples;
use Bench\Settings;

/** What a lease costs beside RedLock's lock and unlock, what it costs to keep ten thousand alive, and how soon a loss is noticed. */
final class Leases
{
    private const KEPT_SERVERS = 3;
    private const KEPT_TTL_MS = 30000;
    private const LOST_TTL_MS = 600;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        return ['loopback' => self::loopback($lab), 'delay' => self::delay($lab),
            'kept' => self::kept($lab, $lab->settings->keptLeases), 'idle' => self::kept($lab, 1),
            'lost' => self::lost($lab)];
    }

    /** @return array<string, mixed> */
    private static function loopback(Lab $lab): array
    {
        $lab->place(Placement::Split);
        $ports = $lab->ports(self::KEPT_SERVERS);
        $contenders = ['native' => $lab->worker('native', $ports), 'lease' => $lab->worker('lease', $ports),
            'scope' => $lab->worker('scope', $ports)];
        $rounds = [];
        foreach ((new Budget($lab->settings->seconds['free']))->rounds($lab->settings->loopbackRounds) as $round) {
            Rounds::measure($contenders, $rounds, $round, $lab->settings->loopbackCycles);
        }
        $native = $rounds['native']->column('cycle_p50');

        return array_map(static fn (Rounds $of) => $of->summary(), $rounds)
            + ['lease / native' => Samples::ratio($rounds['lease']->column('cycle_p50'), $native),
                'scope / native' => Samples::ratio($rounds['scope']->column('cycle_p50'), $native)];
    }

    /** @return array<string, mixed> */
    private static function delay(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $proxy = $lab->delayProxy($lab->ports());
        $limit = $lab->limit($proxy->hello['ports']);
        $contenders = ['scope' => $lab->worker('scope', $proxy->hello['ports'])];
        $contenders['scope']->ask('cycles 5');
        $limit->ask('cycles 5');
        $rounds = $roundTrips = [];
        $cycles = $lab->settings->delayCycles;
        foreach ((new Budget($lab->settings->seconds['delay']))->rounds($lab->settings->delayRounds) as $round) {
            $roundTrips[] = Samples::median($limit->ask('round_trips ' . 2 * $cycles)['round_trip_ns']) / 1000;
            Rounds::measure($contenders, $rounds, $round, $cycles);
        }

        return ['round_trip_p50_us' => Samples::median($roundTrips), 'scope' => $rounds['scope']->summary(),
            'cycle_p50 / round_trip_p50' => Samples::ratio($rounds['scope']->column('cycle_p50'), $roundTrips)];
    }

    /** @return array<string, mixed> with all servers well, and with one stopped */
    private static function kept(Lab $lab, int $count): array
    {
        $lab->place(Placement::Free);
        $process = $lab->kept($lab->ports(self::KEPT_SERVERS));
        $ms = $lab->settings->keptMs;
        $memory = $process->ask("keep $count " . self::KEPT_TTL_MS, 120.0);
        $well = $process->ask("sleep $ms", $ms / 1000 + 60.0);
        $lab->servers[0]->stop();
        $stopped = $process->ask("sleep $ms", $ms / 1000 + 60.0);
        $lab->servers[0]->cont()->ready();
        $process->end();
        foreach ($lab->servers as $server) {
            $server->client()->call('FLUSHALL');
        }

        return ['count' => $count, 'seconds' => $ms / 1000, 'memory' => $memory, 'well' => $well, 'stopped' => $stopped];
    }

    /** @return array<string, mixed> of leases that are taken away by hand, behind 1 ms each way */
    private static function lost(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $proxy = $lab->delayProxy($lab->ports(self::KEPT_SERVERS));
        $process = $lab->kept($proxy->hello['ports']);
        $count = $lab->settings->lostLeases;
        $lost = $process->ask("lose $count " . self::LOST_TTL_MS, $count * self::LOST_TTL_MS / 1000 + 60.0);
        $process->end();

        return ['count' => $count, 'ttl_ms' => self::LOST_TTL_MS, 'noticed_max_ms' => max($lost['noticed_ms']),
            'noticed_max_ms / bound' => max($lost['noticed_ms']) / (self::LOST_TTL_MS / 3 + 4 * Settings::DELAY_US / 1000),
            'thrown_max_ms' => max($lost['thrown_ms'])];
    }
}
