<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Lab;
use Bench\Placement;
use Bench\Samples;

/**
 * Four processes that want one resource on three servers, which have half a second to answer: locks
 * per second while all are well and while one is stopped with SIGSTOP, another one each round.
 */
final class ContendedStopped
{
    private const SERVERS = 3;
    private const CLIENTS = 4;
    private const HOLD_US = 2000;
    private const SECONDS_MAX = 120.0;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $healthy = $stopped = [];
        $overlaps = 0;
        for ($round = 0; $round < $lab->settings->contendedStoppedRounds; $round++) {
            $lab->say('contention beside a stopped server, round ' . ($round + 1));
            $healthy[] = self::locksPerSecond($lab, $overlaps);
            // Stopped before the clients connect they would know from the start; here they find out.
            $server = $lab->servers[$round % self::SERVERS];
            $stopped[] = self::locksPerSecond($lab, $overlaps, $server->stop(...));
            $server->cont()->ready();
        }

        return [
            'healthy' => Samples::median($healthy),
            'stopped' => Samples::median($stopped),
            'stopped / healthy' => Samples::median($stopped) / Samples::median($healthy),
            'overlaps' => $overlaps,
        ];
    }

    private static function locksPerSecond(Lab $lab, int &$overlaps, ?callable $before = null): float
    {
        $requests = $lab->settings->contendedStoppedRequests;
        $ports = $lab->ports(self::SERVERS);
        $contention = $lab->contention('native-patient', $ports, self::CLIENTS, $requests, self::HOLD_US);
        if ($before !== null) {
            $before();
        }
        $answer = $contention->ask('go', self::SECONDS_MAX);
        $contention->end();
        $overlaps += $answer['overlaps'];

        return count($answer['wait_ns']) / ($answer['elapsed_ns'] / 1e9);
    }
}
