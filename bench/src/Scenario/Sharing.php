<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Crowd;
use Bench\Lab;
use Bench\Placement;
use Bench\Samples;
use Bench\Settings;

/**
 * A hundred readers and ten writers that want one resource for 5 ms each, again and again, in line.
 *
 * A strict queue would let each writer in behind the nine others and, between any two of them, all
 * readers who stand there together: that is FIFO's wait.
 */
final class Sharing
{
    private const READERS = 100;
    private const WRITERS = 10;
    private const SERVERS = 3;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $pass = Crowd::pass($lab, 'sharing', $lab->ports(self::SERVERS), self::READERS + self::WRITERS,
            3 * $lab->settings->lineRequests);
        $holdSeconds = Samples::mean($pass['hold_ns']) / 1e9;
        $longestSeconds = max($pass['writer_wait_ns']) / 1e9;
        $fifoSeconds = 2 * self::WRITERS * $holdSeconds;

        return Crowd::summarise([$pass]) + [
            'readers' => self::READERS,
            'writers' => self::WRITERS,
            'hold_ms' => Settings::HOLD_US / 1e3,
            'hold_mean_us' => $holdSeconds * 1e6,
            'writers_served' => count($pass['writer_wait_ns']),
            'writers_longest_ms' => $longestSeconds * 1e3,
            'fifo_ms' => $fifoSeconds * 1e3,
            'writers_longest / fifo' => $longestSeconds / $fifoSeconds,
            'readers_inside' => $pass['readers_inside'],
        ];
    }
}
