<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Budget;
use Bench\Lab;
use Bench\Placement;
use Bench\Rounds;
use Bench\Samples;

/** Uncontended lock+unlock on loopback: RedLock on 1, 3 and 5 servers, and PidLock on one. */
final class Loopback
{
    private const WARM_UP_CYCLES = 200;

    /** @return array<string, mixed> by placement, then by group: '1', '3', '5' servers and 'pid' */
    public static function run(Lab $lab): array
    {
        $summary = [];
        foreach (Placement::cases() as $placement) {
            $lab->say("loopback: $placement->value placement");
            $lab->place($placement);
            // The placement whose figures are judged is measured longest.
            $rounds = $placement === Placement::Split
                ? $lab->settings->loopbackRounds
                : intdiv($lab->settings->loopbackRounds, 2);
            $budget = new Budget($lab->settings->seconds[$placement->value]);
            $summary[$placement->value] = self::measure($lab, $budget->rounds($rounds));
        }

        return $summary;
    }

    /**
     * @param iterable<int> $roundNumbers
     * @return array<string, mixed>
     */
    private static function measure(Lab $lab, iterable $roundNumbers): array
    {
        $groups = self::groups($lab);
        foreach ($groups as $contenders) {
            array_map(static fn ($contender) => $contender->ask('cycles ' . self::WARM_UP_CYCLES), $contenders);
        }
        $rounds = array_fill_keys(array_keys($groups), []);
        foreach ($roundNumbers as $round) {
            foreach ($groups as $group => $contenders) {
                Rounds::measure($contenders, $rounds[$group], $round, $lab->settings->loopbackCycles);
            }
        }

        return array_map(self::summarise(...), $rounds);
    }

    /** @return array<int|string, array<string, \Bench\LineProcess>> */
    private static function groups(Lab $lab): array
    {
        $groups = [];
        foreach ([1, 3, 5] as $count) {
            $groups[$count] = $lab->contenders($lab->ports($count));
        }
        $groups['pid'] = [
            'limit' => $groups[1]['limit'],
            'native' => $lab->worker('native-pid', $lab->ports(1)),
            'userland' => $lab->worker('userland-pid', $lab->ports(1)),
        ];

        return $groups;
    }

    /**
     * @param array<string, Rounds> $rounds
     * @return array<string, mixed>
     */
    private static function summarise(array $rounds): array
    {
        $summary = array_map(static fn (Rounds $of) => $of->summary(), $rounds);
        foreach (['cycle_p50' => 'ratios', 'cycle_mean' => 'ratios_of_means'] as $column => $name) {
            foreach ([['native', 'limit'], ['userland', 'native'], ['userland', 'limit']] as [$slow, $fast]) {
                $summary[$name]["$slow / $fast"] = Samples::ratio(
                    $rounds[$slow]->column($column),
                    $rounds[$fast]->column($column),
                );
            }
        }

        return $summary;
    }
}
