<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Crowd;
use Bench\Lab;
use Bench\Placement;
use Bench\Settings;

/**
 * A hundred processes take turns on one resource, as in the documents' test: 1000 requests of 100
 * clients, each with a critical section of 5 ms, all polling with the documents' pauses.
 */
final class Contention
{
    /** What the scripts call inside the server; the rest was sent by clients. */
    private const CALLED_BY_SCRIPTS = [
        'limit' => ['get', 'del'],
        'native' => ['get', 'del', 'exists'],
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
        $answer = Crowd::pass($lab, $kind, $lab->ports($serverCount), Settings::CLIENTS, $lab->settings->contentionRequests,
            static fn () => array_map(static fn ($server) => $server->client()->call('CONFIG', 'RESETSTAT'), $servers));
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
        $summary = Crowd::summarise($passes);

        return $summary + [
            'commands_sent_per_lock' => array_sum(array_column($passes, 'sent')) / $summary['locks'],
            'commands_executed_per_lock' => array_sum(array_column($passes, 'executed')) / $summary['locks'],
        ];
    }
}
