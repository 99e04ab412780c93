<?php

/** The workers of an act, and what they have reported so far. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Harness\Turns;
use RedLock\Harness\Wait;

final class Crew
{
    /** Who asks within so short a time asks at once: tickets count milliseconds, and the first one asks without a ticket. */
    private const AT_ONCE_SECONDS = 0.005;

    /** @var list<Worker> */
    public readonly array $workers;
    /** @var list<array{float, int}> the latest turns: when each got the lock, and the microseconds it had waited */
    private array $recent = [];
    /** @var list<float> when each turn got the lock, in seconds on the clock of Wait */
    private array $gotAt = [];
    /** @var list<float> when each of them had asked for it */
    private array $askedAt = [];
    private string $trouble = '';
    private int $troubleCount = 0;
    private int $lateCount = 0;

    /**
     * @param list<string> $kinds one per worker, as Turns knows them
     * @param list<array{string, int}> $servers
     */
    public function __construct(array $kinds, array $servers, string $witnessFolder, Tempo $tempo)
    {
        $workers = [];
        foreach ($kinds as $index => $kind) {
            $name = 'worker ' . ($index + 1);
            [$pause, $attempts] = match ($kind) {
                'RedLock' => [0.012, 5],
                'LockManager' => [0.05, 20],
                'in line' => [1.0, 60],
                default => [0.004, 21],
            };
            $process = Turns::start([
                'name' => $name, 'kind' => $kind, 'servers' => $servers, 'folder' => $witnessFolder,
                'resource' => 'demo', 'lease' => $tempo->leaseSeconds, 'pause' => $pause, 'attempts' => $attempts,
                'inside' => $tempo->insideMs / 1000, 'rest' => [$tempo->restMs / 1000, $tempo->restMs / 1000],
                'trouble_rest' => 0.1, 'mixed_fleet' => true, 'tells_of_asking' => $kind === 'in line',
            ]);
            $workers[] = new Worker($name, $kind, $process);
        }
        $this->workers = $workers;
    }

    /** Takes in what the workers have said after a while. */
    public function listen(float $seconds): void
    {
        // Not woken by what they say: whoever looks right after a turn would always find nobody inside.
        usleep((int) ($seconds * 1e6));
        foreach ($this->workers as $worker) {
            while (($line = $worker->process->pollLine()) !== null) {
                $this->note($worker, $line);
            }
        }
        $horizon = Wait::now() - 2.0;
        $this->recent = array_values(array_filter($this->recent, static fn (array $r): bool => $r[0] > $horizon));
    }

    private function note(Worker $worker, string $line): void
    {
        [$word, $rest] = explode(' ', "$line ", 2);
        switch ($word) {
            case 'asks':
                $worker->asksSinceNs = (int) $rest;
                return;
            case 'turn':
                [$waitedUs, $gotNs] = array_map(intval(...), explode(' ', $rest));
                ++$worker->turns;
                $worker->asksSinceNs = null;
                $worker->lastWaitUs = $waitedUs;
                $worker->longestWaitUs = max($worker->longestWaitUs, $waitedUs);
                $this->gotAt[] = $gotNs / 1e9;
                $this->askedAt[] = $gotNs / 1e9 - $waitedUs / 1e6;
                $this->recent[] = [$gotNs / 1e9, $waitedUs];
                return;
            case 'late':
                ++$this->lateCount; // The witness says whether it did any harm.
                return;
            case 'trouble':
                $this->trouble = trim($rest);
                ++$this->troubleCount;
                return;
            case 'done':
                $worker->done = true;
                return;
        }
        throw new \RuntimeException("$worker->name said: $line");
    }

    /** Asks the workers to finish, and waits until they have. */
    public function dismiss(callable $meanwhile): void
    {
        foreach ($this->workers as $worker) {
            $worker->process->signal(SIGTERM);
        }
        $deadline = Wait::now() + 10.0;
        while (!$this->isDone() && Wait::now() < $deadline) {
            $this->listen(0.05);
            $meanwhile();
        }
        foreach ($this->workers as $worker) {
            $worker->process->kill();
        }
    }

    public function isDone(): bool
    {
        return array_filter($this->workers, static fn (Worker $w): bool => !$w->done) === [];
    }

    public function turns(): int
    {
        return array_sum(array_map(static fn (Worker $w): int => $w->turns, $this->workers));
    }

    /** How many locks were got in a stretch of time. */
    public function turnsBetween(float $from, float $to): int
    {
        return count(array_filter($this->gotAt, static fn (float $at): bool => $at >= $from && $at < $to));
    }

    public function turnsPerSecond(): float
    {
        $horizon = Wait::now() - 1.0;
        return (float) count(array_filter($this->recent, static fn (array $r): bool => $r[0] > $horizon));
    }

    /** Of the turns of the last two seconds; null when there were none. */
    public function medianWaitMs(): ?float
    {
        $waits = array_column($this->recent, 1);
        sort($waits);
        return $waits === [] ? null : $waits[intdiv(count($waits), 2)] / 1000;
    }

    public function longestWaitMs(): float
    {
        return max(array_map(static fn (Worker $w): int => $w->longestWaitUs, $this->workers)) / 1000;
    }

    /** The latest exception that a worker got, as class and message; '' when there was none. */
    public function trouble(): string
    {
        return $this->trouble;
    }

    /** How many turns outlasted their lock, and said so. */
    public function lateCount(): int
    {
        return $this->lateCount;
    }

    /** Ends a worker in the midst of whatever it does. */
    public function kill(string $name): void
    {
        foreach ($this->workers as $worker) {
            if ($worker->name === $name) {
                $worker->process->kill();
                $worker->done = $worker->killed = true;
                $worker->asksSinceNs = null;
            }
        }
    }

    /** Who waits, the first first; not who is inside. @return list<Worker> */
    public function line(string $holder): array
    {
        $waits = static fn (Worker $w): bool => $w->asksSinceNs !== null && $w->name !== $holder;
        $line = array_values(array_filter($this->workers, $waits));
        usort($line, static fn (Worker $a, Worker $b): int => $a->asksSinceNs <=> $b->asksSinceNs);
        return $line;
    }

    /** How many turns were somebody's who had asked later than one who was still waiting. */
    public function turnsOutOfOrder(): int
    {
        $count = 0;
        foreach ($this->gotAt as $turn => $got) {
            foreach ($this->askedAt as $other => $asked) {
                if ($this->gotAt[$other] > $got && $asked < $this->askedAt[$turn] - self::AT_ONCE_SECONDS) {
                    ++$count;
                    break;
                }
            }
        }
        return $count;
    }

    public function troubleCount(): int
    {
        return $this->troubleCount;
    }
}
