<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Crowd;
use Bench\Lab;
use Bench\Placement;
use Bench\Samples;
use Bench\Settings;

/**
 * A hundred processes that want one resource for 5 ms each, waiting in line, beside those that poll, the
 * peers that could be fetched, and processes that wait for each other in the kernel. What a lock costs
 * the servers is counted in passes of their own.
 */
final class Line
{
    private const COUNTS = [1, 3, 5];
    private const PEERS_UP_TO = 3;
    private const PEERS = ['symfony', 'npm'];

    /** @return array<string, mixed> 'kernel', and 'groups' by the number of servers */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $groups = [];
        foreach (self::COUNTS as $count) {
            foreach (['line', 'polling', ...($count <= self::PEERS_UP_TO ? array_intersect(self::PEERS, Lab::peers()) : [])] as $kind) {
                $groups[$count][$kind] = self::measure($lab, $kind, $count)
                    + ['commands_per_lock' => Crowd::commandsPerLock($lab, $kind, $count, Settings::CLIENTS)];
            }
        }

        return ['kernel' => self::measure($lab, 'kernel', 1), 'groups' => $groups];
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
}
