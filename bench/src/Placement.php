<?php

declare(strict_types=1);

namespace Bench;

/**
 * Which CPUs the measured process and the servers run on.
 *
 * Left to the scheduler, one client and one server land on one CPU in some runs and on two in others,
 * which changes a round trip by a factor of three, so ratios of uncontended calls need a fixed place.
 */
enum Placement: string
{
    /** The client has a CPU of its own, the servers share the others: the nearest to two machines. */
    case Split = 'split';

    /** Everything on one CPU: no waking of an idle CPU, so nothing but the work itself is timed. */
    case Shared = 'shared';

    /** Wherever the scheduler puts them. */
    case Free = 'free';

    /** As taskset(1) takes it. */
    public function clientCpus(): string
    {
        $cpus = self::allowedCpus();

        return $this === self::Free ? implode(',', $cpus) : (string) $cpus[0];
    }

    public function serverCpus(): string
    {
        $cpus = self::allowedCpus();

        return match ($this) {
            self::Split => implode(',', array_slice($cpus, 1) ?: $cpus),
            self::Shared => (string) $cpus[0],
            self::Free => implode(',', $cpus),
        };
    }

    /** @return non-empty-list<int> */
    private static function allowedCpus(): array
    {
        preg_match('/^Cpus_allowed_list:\s*(\S+)/m', (string) file_get_contents('/proc/self/status'), $match);
        $cpus = [];
        foreach (explode(',', $match[1]) as $range) {
            $ends = array_map(intval(...), explode('-', $range));
            $cpus = [...$cpus, ...range($ends[0], $ends[array_key_last($ends)])];
        }

        return $cpus;
    }
}
