<?php

declare(strict_types=1);

namespace Bench;

/** The figures that fences, several locks at once, shared locks, permits and the guard have to reach. */
final class FamilyFigures
{
    /**
     * @param array<string, mixed> $family
     * @return list<Figure>
     */
    public static function family(array $family): array
    {
        $figures = [];
        foreach (['loopback' => '', 'delay' => '1 ms each way, '] as $place => $where) {
            $of = $family[$place];
            $figures[] = new Figure("{$where}N=3: ten resources at once / one", '<=', 1.5, $of['ten / lease']);
            $figures[] = new Figure("{$where}N=5: shared acquire + release / exclusive", '<=', 1.25, $of['shared / exclusive']);
        }

        return $figures;
    }

    /**
     * @param array<string, mixed> $fence
     * @return list<Figure>
     */
    public static function fence(array $fence): array
    {
        return [
            new Figure('N=3: acquire with a fence / without', '<=', 1.05, $fence['loopback']['lock_p50: fenced / lease']),
            new Figure('1 ms each way, N=3: acquire with a fence / without', '<=', 1.05, $fence['delay']['lock_p50: fenced / lease']),
            new Figure('acquire with a fence: round trips on top', '<=', 0.05, $fence['extra_round_trips']),
        ];
    }

    /**
     * @param array<string, mixed> $of
     * @return list<Figure>
     */
    public static function sharing(array $of): array
    {
        $who = "$of[readers] readers and $of[writers] writers in line, N=3";

        return [
            new Figure("$who: a writer's longest wait / FIFO's", '<=', 3.0, $of['writers_longest / fifo']),
            new Figure("$who: readers inside in the mean", '>=', 5.0, $of['readers_inside']['mean']),
            new Figure("$who: overlaps", '<=', 0.0, (float) $of['overlaps']),
        ];
    }

    /**
     * @param array<string, array<string, mixed>> $permits
     * @return list<Figure>
     */
    public static function permits(array $permits): array
    {
        $figures = [];
        foreach ([1, 3] as $count) {
            $of = $permits["permit, N=$count"];
            $name = sprintf('%d want one of %d permits, N=%d', Settings::CLIENTS, $of['permits'], $count);
            $figures[] = new Figure("$name: permits/s / ideal", '>=', 0.9, $of['share_of_ideal']);
            $figures[] = new Figure("$name: inside at most", '<=', (float) $of['permits'], (float) $of['inside_max'], 'clients');
        }

        return $figures;
    }

    /**
     * @param array<string, float> $guard
     * @return list<Figure>
     */
    public static function guard(array $guard): array
    {
        return [
            new Figure('guard: INFO per connection', '<=', 1.0, $guard['per_connection']),
            new Figure('guard: INFO per call', '<=', 0.0, $guard['per_call']),
        ];
    }
}
