<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Lab;
use Bench\Placement;
use RedLock\Harness\RedisServer;

/** All five servers stopped: how long lock() takes to give up, against the timeouts it was given. */
final class AllStopped
{
    /** The default: of a list, as old configurations are written, so short a time counts for nothing. */
    private const TIMEOUT_MS = 250;
    private const PAUSE_MS_MAX = 200;
    private const CALLS = 2;
    private const SOCKET_SECONDS = 1.0;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $cases = [];
        foreach ([1, 3] as $attempts) {
            foreach ([true, false] as $connected) {
                $cases[] = self::nativeCase($lab, $attempts, $connected);
            }
        }
        $userland = $lab->worker('userland', $lab->ports(), 1, self::SOCKET_SECONDS);
        [$call] = self::callsWhileStopped($lab, $userland, true, 1);

        return ['native' => $cases, 'userland' => ['default_socket_timeout_s' => self::SOCKET_SECONDS,
            'returned_after_ms' => $call['ns'] / 1e6, 'outcome' => $call['outcome']]];
    }

    /** @return array<string, mixed> */
    private static function nativeCase(Lab $lab, int $attempts, bool $connected): array
    {
        $calls = [];
        for ($trial = 0; $trial < $lab->settings->allStoppedTrials; $trial++) {
            // Each trial is a process of its own: connections of the one before would be backing off.
            $worker = $lab->worker('native', $lab->ports(), $attempts);
            $calls = [...$calls, ...self::callsWhileStopped($lab, $worker, $connected, self::CALLS)];
        }
        $budgetMs = $attempts * self::TIMEOUT_MS + ($attempts - 1) * self::PAUSE_MS_MAX;
        $longestMs = max(array_column($calls, 'ns')) / 1e6;

        return ['attempts' => $attempts, 'connected_before' => $connected, 'calls' => count($calls),
            'budget_ms' => $budgetMs, 'longest_ms' => $longestMs, 'longest / budget' => $longestMs / $budgetMs,
            'outcomes' => array_count_values(array_column($calls, 'outcome'))];
    }

    /** @return list<array{ns: int, outcome: string}> */
    private static function callsWhileStopped(Lab $lab, \Bench\LineProcess $worker, bool $connected, int $calls): array
    {
        if ($connected) {
            $worker->ask('cycles 5');
        }
        array_map(static fn (RedisServer $server) => $server->stop(), $lab->servers);
        $answer = $worker->ask("calls $calls");
        array_map(static fn (RedisServer $server) => $server->cont()->ready(), $lab->servers);
        $worker->end();

        return $answer['calls'];
    }
}
