<?php

/** The course of a soak: calm, faults for some minutes, calm, and a last look for what was left behind. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\Wait;

final class Soak
{
    private const CALM_SECONDS = 6.0;
    private const START_SECONDS = 3.0;
    private const SECONDS_WITHOUT_FAULTS = 31.0;
    private const WARMUP_SECONDS_MAX = 60.0;
    private const SECONDS_BETWEEN_LINES = 5.0;
    private const SECONDS_BETWEEN_LOOKS = 0.2;

    /** @var list<Group> */
    private readonly array $groups;
    private readonly Report $report;
    private readonly float $faultSeconds;
    private float $started = 0.0;
    private float $lastLook = 0.0;
    private float $lastLine = 0.0;

    public function __construct(int $minutes, int $seed, string $extension)
    {
        // What the calm phases, the recovery and the last look take is part of the minutes.
        $this->faultSeconds = $minutes * 60.0 - self::SECONDS_WITHOUT_FAULTS;
        $schedule = new Schedule($seed, $this->faultSeconds);
        $turns = [
            new TurnGroup('RedLock N=3', Trade::redLock(), 3, 4, $schedule, $extension),
            new TurnGroup('PidLock', Trade::pidLock(), 1, 4, $schedule, $extension),
            new TurnGroup('leases N=5', Trade::leases(false), 5, 3, $schedule, $extension),
            new TurnGroup('leases, restarts', Trade::leases(true), 3, 3, $schedule, $extension),
        ];
        $kinds = new KindsGroup('all kinds', 5, $schedule, $extension);
        $this->groups = [...$turns, $kinds];
        $this->report = new Report($turns, $kinds);
    }

    public function run(): bool
    {
        $this->started = $this->lastLine = Wait::now();
        $this->spend(self::START_SECONDS, 'warming', false);
        $this->spend(self::CALM_SECONDS, 'before', false);
        $warmup = min(self::WARMUP_SECONDS_MAX, $this->faultSeconds / 3);
        $this->spend($warmup, 'warming', true);
        $this->spend($this->faultSeconds - $warmup, 'faults', true);
        $this->heal();
        $this->spend(self::CALM_SECONDS, 'after', false);
        foreach ($this->groups as $group) {
            if (!$group->dismiss()) {
                $this->report->complain("$group->name: a client did not come to its end");
            }
        }
        $this->searchForRests();
        return $this->report->close(Wait::now() - $this->started);
    }

    private function spend(float $seconds, string $phase, bool $mayFire): void
    {
        $end = Wait::now() + $seconds;
        while (Wait::now() < $end) {
            $this->step($phase, $mayFire);
        }
    }

    /** Nothing new happens; what has been stopped or killed comes back in its own time. */
    private function heal(): void
    {
        $deadline = Wait::now() + 60.0;
        while (array_filter($this->groups, static fn (Group $group): bool => !$group->isHealthy()) !== []) {
            if (Wait::now() > $deadline) {
                throw new \RuntimeException('the servers did not come back');
            }
            $this->step('faults', false);
        }
        // Clients find out within a turn that their servers are back.
        $this->spend(self::START_SECONDS, 'faults', false);
    }

    private function step(string $phase, bool $mayFire): void
    {
        usleep(20_000);
        $looks = Wait::now() >= $this->lastLook + self::SECONDS_BETWEEN_LOOKS;
        foreach ($this->groups as $group) {
            $group->listen();
            $this->report->count($group->strike($mayFire));
            if ($looks) {
                $group->lookAtKeys();
                $group->vitals->sample($phase);
            }
        }
        if ($looks) {
            $this->lastLook = Wait::now();
        }
        if (Wait::now() >= $this->lastLine + self::SECONDS_BETWEEN_LINES) {
            $this->lastLine += self::SECONDS_BETWEEN_LINES;
            $this->report->progress($this->lastLine - $this->started, $phase);
        }
    }

    /** Whatever the last clients left is gone a second after the longest lease. */
    private function searchForRests(): void
    {
        $end = Wait::now() + Schedule::LEASE_SECONDS + 1.0;
        while (Wait::now() < $end) {
            usleep(100_000);
            array_map(static fn (Group $group) => $group->lookAtKeys(), $this->groups);
        }
        foreach ($this->groups as $group) {
            $keys = $group->keysLeft();
            if ($keys !== []) {
                $this->report->complain("$group->name: keys are left: " . implode(' ', $keys));
            }
        }
    }
}
