<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Crowd;
use Bench\Lab;
use Bench\Placement;
use Bench\Settings;

/** Whether a lock costs the servers more commands when a thousand processes stand in line instead of a hundred. */
final class ManyInLine
{
    private const SERVERS = 3;

    /** One after the other: a thousand processes that wake at once keep two cores busy for longer than their time-outs. */
    private const RAMP_US = 10_000;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $clients = $lab->settings->lineClientsMany;
        $few = Crowd::commandsPerLock($lab, 'line', self::SERVERS, Settings::CLIENTS, self::RAMP_US);
        $many = Crowd::commandsPerLock($lab, 'line', self::SERVERS, $clients, self::RAMP_US);

        return ['servers' => self::SERVERS, 'clients' => $clients, 'commands_per_lock_of_few' => $few,
            'commands_per_lock' => $many, 'many / few' => $many / $few];
    }
}
