<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\CommandCount;
use Bench\Lab;
use Bench\Placement;

/** What a guard asks of the servers: how many INFO a connection, and how many a call. */
final class Guard
{
    private const SERVERS = 3;

    /** @return array<string, float> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $servers = array_slice($lab->servers, 0, self::SERVERS);
        $cycles = $lab->settings->stoppedCycles;
        $looks = [CommandCount::of($servers, 'info')];
        $worker = $lab->worker('guarded', $lab->ports(self::SERVERS));
        $worker->ask('cycles 1');
        $looks[] = CommandCount::of($servers, 'info');
        $failed = $worker->ask("cycles $cycles")['failed'];
        $looks[] = CommandCount::of($servers, 'info');

        // Each look is an INFO itself.
        return [
            'cycles' => (float) $cycles,
            'failed' => (float) $failed,
            'per_connection' => ($looks[1] - $looks[0]) / self::SERVERS - 1,
            'per_call' => (($looks[2] - $looks[1]) / self::SERVERS - 1) / $cycles,
        ];
    }
}
