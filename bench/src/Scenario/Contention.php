<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Lab;
use Bench\Placement;
use Bench\Samples;
use Bench\Settings;
use RedLock\Harness\RedisServer;

/**
 * A hundred processes take turns on one resource, as in the documents' test: 1000 requests of 100
 * clients, each with a critical section of 5 ms, all polling with the documents' pauses.
 */
final class Contention
{
    private const SECONDS_MAX = 120.0;

    /** What the scripts call inside the server; the rest was sent by clients. */
    private const CALLED_BY_SCRIPTS = [
        'limit' => ['get', 'del'],
        'native' => ['get', 'del'],
        'userland' => ['get', 'del'],
        'native-pid' => ['get', 'del', 'set', 'time', 'type'],
        'userland-pid' => [],
    ];
    private const SENT_BY_THE_BENCH = ['info', 'config', 'config|resetstat'];

    /** @return array<string, mixed> by group: '1' and '3' servers and 'pid' */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $kinds = ['limit', 'native', 'userland'];
        $groups = [1 => [$kinds, 1], 3 => [$kinds, 3], 'pid' => [['native-pid', 'userland-pid'], 1]];
        $passes = [];
        for ($pass = 0; $pass < $lab->settings->contentionPasses; $pass++) {
            foreach ($groups as $group => [$members, $count]) {
                foreach ($members as $kind) {
                    $lab->say("contention: $kind, $count server(s)");
                    $passes[$group][str_replace('-pid', '', $kind)][] = self::pass($lab, $kind, $count);
                }
            }
        }

        return array_map(static fn ($group) => array_map(self::summarise(...), $group), $passes);
    }

    /** @return array<string, mixed> */
    private static function pass(Lab $lab, string $kind, int $serverCount): array
    {
        $servers = array_slice($lab->servers, 0, $serverCount);
        $contention = $lab->contention($kind, $lab->ports($serverCount), Settings::CLIENTS,
            $lab->settings->contentionRequests, Settings::HOLD_US);
        array_map(static fn (RedisServer $server) => $server->client()->call('CONFIG', 'RESETSTAT'), $servers);
        $answer = $contention->ask('go', self::SECONDS_MAX);
        $contention->end();
        $sent = $total = 0;
        foreach ($servers as $server) {
            $calls = array_diff_key($server->commandCalls(), array_flip(self::SENT_BY_THE_BENCH));
            $total += array_sum($calls);
            $sent += array_sum(array_diff_key($calls, array_flip(self::CALLED_BY_SCRIPTS[$kind])));
        }

        return $answer + ['sent' => $sent, 'executed' => $total];
    }

    /**
     * @param non-empty-list<array<string, mixed>> $passes
     * @return array<string, mixed>
     */
    private static function summarise(array $passes): array
    {
        $waitNs = array_merge(...array_column($passes, 'wait_ns'));
        $releaseNs = array_merge(...array_column($passes, 'release_ns'));
        $locks = count($waitNs);
        $waitMs = static fn (float $share) => Samples::quantile($waitNs, $share) / 1e6;
        $perSecond = static fn (array $pass) => count($pass['wait_ns']) / ($pass['elapsed_ns'] / 1e9);

        return [
            'locks' => $locks,
            'overlaps' => array_sum(array_column($passes, 'overlaps')),
            'locks_per_second' => Samples::median(array_map($perSecond, $passes)),
            'wait_ms' => ['p50' => $waitMs(0.50), 'p99' => $waitMs(0.99), 'max' => $waitMs(1.0)],
            'wait_percentiles_ms' => array_map(static fn ($percent) => $waitMs($percent / 100), range(0, 100)),
            'release_us' => ['p50' => Samples::quantile($releaseNs, 0.50) / 1e3,
                'p99' => Samples::quantile($releaseNs, 0.99) / 1e3],
            'commands_sent_per_lock' => array_sum(array_column($passes, 'sent')) / $locks,
            'commands_executed_per_lock' => array_sum(array_column($passes, 'executed')) / $locks,
        ];
    }
}
