<?php

/** One act: a crew on one lock, what happens to the servers meanwhile, and what came of it. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Tests\Support\Fleet;
use RedLock\Tests\Support\Wait;
use RedLock\Tests\Support\Witness;

final class Act
{
    private readonly Witness $witness;
    private Crew $crew;
    private float $started = 0.0;
    private float $ended = 0.0;
    /** @var list<Incident> */
    private array $incidents;
    /** @var list<string> what must be true at the end besides the witness's word, as complaints when it is not */
    private array $complaints = [];
    /** @var array<int, array{int, float}> turns and seconds by the number of servers that were not up */
    private array $work = [];
    private int $turnsCounted = 0;
    private float $lastCount = 0.0;
    /** @var array<int, string> the state of each server where it is not up, by its index */
    private array $states = [];

    /** @param list<string> $kinds */
    private function __construct(
        public readonly string $title,
        public readonly string $explanation,
        private readonly Fleet $fleet,
        private readonly array $kinds,
        private readonly float $seconds,
    ) {
        $this->witness = Witness::create();
        $this->incidents = [];
    }

    public static function redLock(Fleet $fleet): self
    {
        $explanation = 'Eight workers take turns on one resource; a lock needs 3 of 5 servers.';
        $act = new self('RedLock', $explanation, $fleet, array_fill(0, 8, 'RedLock'), 22.0);
        $act->incidents = [
            new Incident(4.0, 'server 2 is killed with -9', fn () => $act->kill(1)),
            new Incident(7.0, 'server 4 gets SIGSTOP: it accepts, and answers nothing', fn () => $act->stop(3)),
            new Incident(10.0, 'server 4 goes on', fn () => $act->cont(3)),
            new Incident(12.0, 'server 2 is back, empty, later than any lease (3 s)', fn () => $act->restart(1)),
            new Incident(15.0, 'servers 1, 3 and 5 are stopped: no majority is left', fn () => $act->stop(0, 2, 4)),
            new Incident(17.5, 'what lock() now throws:', fn (): string => $act->quoteTrouble()),
            new Incident(18.5, 'servers 1, 3 and 5 go on', fn () => $act->cont(0, 2, 4)),
        ];
        return $act;
    }

    public static function pidLock(Fleet $fleet): self
    {
        $explanation = 'On server 1 alone; old PHP stands for SETNX, GET, GETSET and DEL.';
        $kinds = ['PidLock', 'old PHP', 'PidLock', 'PidLock', 'old PHP', 'PidLock', 'old PHP', 'PidLock'];
        return new self('PidLock', $explanation, $fleet, $kinds, 6.0);
    }

    public function seconds(): float
    {
        return $this->seconds;
    }

    public function play(Display $display): void
    {
        $this->crew = new Crew($this->kinds, $this->fleet->specs(null, 0.05), $this->witness->folder);
        $this->started = $this->lastCount = Wait::now();
        $display->begin($this);
        while ($this->elapsed() < $this->seconds) {
            $this->crew->listen(0.05);
            $this->count();
            if ($this->incidents !== [] && $this->elapsed() >= $this->incidents[0]->at) {
                $incident = array_shift($this->incidents);
                $display->note($this, $incident->text);
                $detail = ($incident->action)();
                if (is_string($detail)) {
                    $display->quote($detail);
                }
            }
            $display->show($this);
        }
        $this->crew->dismiss(fn () => $display->show($this));
        $this->ended = Wait::now();
        foreach ($this->work as $down => [$turns]) {
            if ($down <= 2 && $turns === 0) {
                $this->complaints[] = "the work stood still although only $down servers were down";
            }
        }
    }

    /** Books the turns since the last time under the number of servers that are not up. */
    private function count(): void
    {
        $down = count($this->states);
        [$turns, $seconds] = $this->work[$down] ?? [0, 0.0];
        $now = Wait::now();
        $this->work[$down] = [$turns + $this->crew->turns() - $this->turnsCounted, $seconds + $now - $this->lastCount];
        $this->turnsCounted = $this->crew->turns();
        $this->lastCount = $now;
    }

    private function kill(int $index): void
    {
        $this->fleet->servers[$index]->kill9();
        $this->states[$index] = 'killed';
    }

    private function stop(int ...$indexes): void
    {
        foreach ($indexes as $index) {
            $this->fleet->servers[$index]->stop();
            $this->states[$index] = 'stopped';
        }
    }

    private function cont(int ...$indexes): void
    {
        foreach ($indexes as $index) {
            $this->fleet->servers[$index]->cont();
            unset($this->states[$index]);
        }
    }

    private function restart(int $index): void
    {
        $this->fleet->servers[$index]->restart();
        unset($this->states[$index]);
    }

    private function quoteTrouble(): string
    {
        $trouble = $this->crew->trouble();
        if (!str_starts_with($trouble, 'RedLock\QuorumException')) {
            $this->complaints[] = 'no QuorumException was seen while three servers were stopped';
        }
        return $trouble;
    }

    public function elapsed(): float
    {
        return ($this->ended ?: Wait::now()) - $this->started;
    }

    public function crew(): Crew
    {
        return $this->crew;
    }

    public function witness(): Witness
    {
        return $this->witness;
    }

    /** @return 'up'|'killed'|'stopped' */
    public function stateOf(int $server): string
    {
        return $this->states[$server] ?? 'up';
    }

    public function isGood(): bool
    {
        return $this->witness->overlaps() === [] && $this->witness->count() === $this->crew->turns()
            && $this->crew->turns() > 0 && $this->crew->isDone() && $this->complaints === [];
    }

    /** @return list<string> */
    public function summary(): array
    {
        $turns = $this->crew->turns();
        $lines = [sprintf(
            '%s %6d turns in %.0f s, overlaps %d, counter %d %s',
            $this->title,
            $turns,
            $this->elapsed(),
            count($this->witness->overlaps()),
            $this->witness->count(),
            $turns === $this->witness->count() ? 'exact' : 'WRONG',
        )];
        $details = count($this->work) > 1 ? $this->turnsByServersDown() : $this->turnsByKind();
        $details[] = sprintf('%6.1f s was the longest wait', $this->crew->longestWaitMs() / 1000);
        if (!$this->crew->isDone()) {
            $details[] = 'a worker did not come to its end';
        }
        array_push($details, ...$this->complaints);
        return [...$lines, ...array_map(static fn (string $d): string => "        $d", $details)];
    }

    /** @return list<string> */
    private function turnsByServersDown(): array
    {
        $lines = [];
        ksort($this->work);
        foreach ($this->work as $down => [$turns, $seconds]) {
            $lines[] = sprintf('%6.0f a second with %s down', $turns / $seconds, $down ?: 'no server');
        }
        return $lines;
    }

    /** @return list<string> */
    private function turnsByKind(): array
    {
        $lines = [];
        foreach (array_unique($this->kinds) as $kind) {
            $own = array_filter($this->crew->workers, static fn (Worker $w): bool => $w->kind === $kind);
            $sum = array_sum(array_map(static fn (Worker $w): int => $w->turns, $own));
            $lines[] = sprintf('%6d by %d workers with %s', $sum, count($own), $kind);
        }
        return $lines;
    }
}
