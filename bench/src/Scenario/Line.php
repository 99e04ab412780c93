<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Crowd;
use Bench\Lab;
use Bench\Placement;
use Bench\Samples;
use Bench\Settings;
use RedLock\Harness\Monitor;

/**
 * A hundred processes that want one resource for 5 ms each, waiting in line, beside those that poll, the
 * peers that could be fetched, and processes that wait for each other in the kernel. What a lock costs
 * the servers is counted in passes of their own, also with a thousand processes.
 */
final class Line
{
    private const COUNTS = [1, 3, 5];
    private const PEERS_UP_TO = 3;
    private const MANY_SERVERS = 3;

    /** Few enough to watch, and as many a client as the thousand have time for. */
    private const COUNTED_PER_CLIENT = 3;

    /** @return array<string, mixed> 'kernel', 'groups' by the number of servers, and 'many' */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $groups = [];
        foreach (self::COUNTS as $count) {
            foreach (['line', 'polling', ...($count <= self::PEERS_UP_TO ? Lab::peers() : [])] as $kind) {
                $groups[$count][$kind] = self::measure($lab, $kind, $count)
                    + ['commands_per_lock' => self::commandsPerLock($lab, $kind, $count, Settings::CLIENTS)];
            }
        }

        return ['kernel' => self::measure($lab, 'kernel', 1), 'groups' => $groups, 'many' => self::many($lab)];
    }

    /** @return array<string, mixed> */
    private static function measure(Lab $lab, string $kind, int $count): array
    {
        $lab->say("line: $kind, $count server(s)");
        $pass = Crowd::pass($lab, $kind, $lab->ports($count), Settings::CLIENTS, $lab->settings->lineRequests);
        $holdSeconds = Samples::mean($pass['hold_ns']) / 1e9;
        $summary = Crowd::summarise([$pass]);

        return $summary + [
            'hold_mean_us' => $holdSeconds * 1e6,
            'hand_over_us' => Crowd::quantilesUs([$pass], 'hand_over_ns'),
            'share_of_ideal' => $summary['locks_per_second'] * $holdSeconds,
            'longest / fifo' => $summary['wait_ms']['max'] / 1e3 / (Settings::CLIENTS * $holdSeconds),
        ];
    }

    /** What clients sent to all servers together, from the first wait of each on. */
    private static function commandsPerLock(Lab $lab, string $kind, int $count, int $clients): float
    {
        $lab->say("line: commands of $clients clients, $kind, $count server(s)");
        $monitors = [];
        $watch = static function () use ($lab, $count, &$monitors): void {
            foreach (array_slice($lab->servers, 0, $count) as $server) {
                $monitors[] = new Monitor($server);
            }
        };
        $pass = Crowd::pass($lab, $kind, $lab->ports($count), $clients, self::COUNTED_PER_CLIENT * $clients, $watch);
        $sent = array_sum(array_map(static fn (Monitor $monitor) => count($monitor->commands()), $monitors));

        return $sent / count($pass['wait_ns']);
    }

    /** @return array<string, mixed> */
    private static function many(Lab $lab): array
    {
        $clients = $lab->settings->lineClientsMany;
        $few = self::commandsPerLock($lab, 'line', self::MANY_SERVERS, Settings::CLIENTS);
        $many = self::commandsPerLock($lab, 'line', self::MANY_SERVERS, $clients);

        return ['servers' => self::MANY_SERVERS, 'clients' => $clients, 'commands_per_lock_of_few' => $few,
            'commands_per_lock' => $many, 'many / few' => $many / $few];
    }
}
