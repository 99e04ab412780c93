<?php

/** One act: a crew on one lock, what happens to the servers meanwhile, and what came of it. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Harness\Fleet;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Harness\Witness;

final class Act
{
    /** A busy machine stops a worker between the look at its watch and the question. */
    private const OUT_OF_ORDER_MAX = 0.02;

    private readonly Witness $witness;
    private Crew $crew;
    private float $started = 0.0;
    private float $ended = 0.0;
    /** @var list<Incident> */
    private array $incidents;
    /** @var list<string> what must be true at the end besides the witness's word, as complaints when it is not */
    private array $complaints = [];
    /** @var list<array{down: int, from: float, to: float}> stretches in which as many servers were not up */
    private array $phases = [];
    /** @var array<int, string> the state of each server where it is not up, by its index */
    private array $states = [];

    /** @param list<string> $kinds */
    private function __construct(
        public readonly string $title,
        public readonly string $explanation,
        private readonly Fleet $fleet,
        private readonly array $kinds,
        private readonly float $seconds,
        private readonly int $serverCount,
        public readonly Tempo $tempo = new Tempo(insideMs: 3, restMs: 20, leaseSeconds: 3.0),
    ) {
        $this->witness = Witness::create();
        $this->incidents = [];
    }

    public static function redLock(Fleet $fleet): self
    {
        $explanation = '8 workers want one lock; whoever has 3 of the 5 servers has it.';
        $act = new self('RedLock', $explanation, $fleet, array_fill(0, 8, 'RedLock'), 22.0, 5);
        $act->incidents = [
            new Incident(4.0, 'server 2 is killed with -9', fn () => $act->kill(1)),
            new Incident(7.0, 'server 4 gets SIGSTOP: it accepts, and answers nothing', fn () => $act->stop(3)),
            new Incident(10.0, 'server 4 goes on', fn () => $act->cont(3)),
            new Incident(12.0, 'server 2 is back, empty; the locks that it forgot have expired (they last 3 s)', fn () => $act->restart(1)),
            new Incident(
                15.0,
                'servers 1, 3 and 5 are stopped: nobody can have 3 of 5, so nobody may get the lock',
                fn () => $act->stop(0, 2, 4),
            ),
            new Incident(17.5, 'right: lock() refuses, and says why:', fn (): string => $act->quoteTrouble()),
            new Incident(18.5, 'servers 1, 3 and 5 go on', fn () => $act->cont(0, 2, 4)),
        ];
        return $act;
    }

    public static function leases(Fleet $fleet): self
    {
        $explanation = '4 workers hold leases of half a second for 1.5 s each, in one sleep: a thread keeps them alive.';
        $tempo = new Tempo(insideMs: 1500, restMs: 20, leaseSeconds: 0.5);
        $act = new self('LockManager', $explanation, $fleet, array_fill(0, 4, 'LockManager'), 16.0, 5, $tempo);
        $act->incidents = [
            new Incident(3.0, 'server 2 is killed with -9', fn () => $act->kill(1)),
            new Incident(5.0, 'server 2 is back, empty: whoever is inside plants its vote there again', fn () => $act->restart(1)),
            new Incident(7.0, 'the one inside is killed with -9: its lease ends half a second later', fn () => $act->killHolder()),
            new Incident(
                10.0,
                'the lease of the one inside is taken away by hand on all servers, for two seconds',
                fn () => $act->steal(2000),
            ),
            new Incident(12.5, 'right: it noticed, and said that its turn outlasted its lease', fn () => $act->expectLate()),
        ];
        return $act;
    }

    public static function inLine(Fleet $fleet): self
    {
        $explanation = '20 workers want one lock: whoever gives it back hands it to the first.';
        $tempo = new Tempo(insideMs: 20, restMs: 20, leaseSeconds: 2.0);
        $act = new self('in line', $explanation, $fleet, array_fill(0, 20, 'in line'), 15.0, 5, $tempo);
        $act->incidents = [
            new Incident(3.0, 'server 2 is killed with -9', fn () => $act->kill(1)),
            new Incident(5.0, 'the first in line is killed with -9: nobody has to wait for it', fn () => $act->killFirstInLine()),
            new Incident(7.0, 'the one inside is killed with -9: 2 s later its lock ends, and the first has it', fn () => $act->killHolder()),
            new Incident(11.0, 'server 2 is back, empty', fn () => $act->restart(1)),
        ];
        return $act;
    }

    public static function pidLock(Fleet $fleet): self
    {
        $explanation = '8 workers want one lock on one server; 3 still run the old PHP code.';
        $kinds = ['PidLock', 'old PHP', 'PidLock', 'PidLock', 'old PHP', 'PidLock', 'old PHP', 'PidLock'];
        return new self('PidLock', $explanation, $fleet, $kinds, 6.0, 1);
    }

    public function seconds(): float
    {
        return $this->seconds;
    }

    public function play(Display $display): void
    {
        $servers = $this->fleet->specs($this->serverCount, 0.05);
        $this->crew = new Crew($this->kinds, $servers, $this->witness->folder, $this->tempo);
        $this->started = Wait::now();
        $this->beginPhase();
        $display->begin($this);
        while ($this->elapsed() < $this->seconds) {
            $this->crew->listen(0.05);
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
        $this->endPhase();
        $this->crew->dismiss(fn () => $display->show($this));
        $this->ended = Wait::now();
        foreach ($this->work() as $down => [$turns]) {
            if (!$this->hasLost($down) && $turns === 0) {
                $this->complaints[] = "the work stood still although only $down servers were down";
            }
        }
        if ($this->crew->turnsOutOfOrder() > self::OUT_OF_ORDER_MAX * $this->crew->turns() && $this->kinds[0] === 'in line') {
            $this->complaints[] = 'the line was not served in order';
        }
    }

    /** What happens while servers change their state belongs to no phase. */
    private function change(callable $change): void
    {
        $this->endPhase();
        $change();
        $this->beginPhase();
    }

    private function beginPhase(): void
    {
        $this->phases[] = ['down' => count($this->states), 'from' => Wait::now(), 'to' => INF];
    }

    private function endPhase(): void
    {
        $this->phases[array_key_last($this->phases)]['to'] = Wait::now();
    }

    /** Whether no majority is left when so many servers are not up. */
    private function hasLost(int $down): bool
    {
        return $this->serverCount - $down < intdiv($this->serverCount, 2) + 1;
    }

    /** @return array<int, array{int, float}> turns and seconds by the number of servers that were not up */
    private function work(): array
    {
        $work = [];
        foreach ($this->phases as ['down' => $down, 'from' => $from, 'to' => $to]) {
            [$turns, $seconds] = $work[$down] ?? [0, 0.0];
            $work[$down] = [$turns + $this->crew->turnsBetween($from, $to), $seconds + $to - $from];
        }
        ksort($work);
        return $work;
    }

    private function kill(int $index): void
    {
        $this->change(function () use ($index): void {
            $this->fleet->servers[$index]->kill9();
            $this->states[$index] = 'killed';
        });
    }

    private function stop(int ...$indexes): void
    {
        $this->change(function () use ($indexes): void {
            foreach ($indexes as $index) {
                $this->fleet->servers[$index]->stop();
                $this->states[$index] = 'stopped';
            }
        });
    }

    private function cont(int ...$indexes): void
    {
        $this->change(function () use ($indexes): void {
            foreach ($indexes as $index) {
                $this->fleet->servers[$index]->cont();
                unset($this->states[$index]);
            }
        });
    }

    private function restart(int $index): void
    {
        $this->change(function () use ($index): void {
            $this->fleet->servers[$index]->restart();
            unset($this->states[$index]);
        });
    }

    private function killHolder(): void
    {
        $holder = Wait::until(fn (): ?string => $this->witness->holder() ?: null, 'somebody inside');
        $this->crew->kill($holder);
    }

    private function killFirstInLine(): void
    {
        // Right after a hand-over: it has the longest time to be the first.
        $holder = $this->witness->holder();
        Wait::until(fn (): bool => !in_array($this->witness->holder(), ['', $holder], true), 'the next one inside');
        $this->crew->listen(0.0);
        $this->crew->kill($this->line()[0]->name);
    }

    private function steal(int $ms): void
    {
        Wait::until(fn (): ?string => $this->witness->holder() ?: null, 'somebody inside');
        foreach ($this->servers() as $server) {
            $server->client()->call('SET', 'demo', 'stolen', 'PX', $ms);
        }
    }

    private function expectLate(): void
    {
        if ($this->crew->lateCount() === 0) {
            $this->complaints[] = 'nobody noticed that a lease was taken away';
        }
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

    /** Who waits in line, the first first. @return list<Worker> */
    public function line(): array
    {
        return $this->crew->line($this->witness->holder());
    }

    /** @return list<RedisServer> those that the act uses */
    public function servers(): array
    {
        return array_slice($this->fleet->servers, 0, $this->serverCount);
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
        $counted = $this->witness->count();
        $overlaps = count($this->witness->overlaps());
        // How long one is says how many there can be.
        $lines = [sprintf('%s: %d turns of %d ms in %.0f s', $this->title, $turns, $this->tempo->insideMs, $this->elapsed())];
        $details = count($this->phases) > 1 ? $this->turnsByServersDown() : $this->turnsByKind();
        if ($this->kinds[0] === 'in line') {
            $details[] = sprintf('%6d turns were taken out of order', $this->crew->turnsOutOfOrder());
        }
        $details[] = $overlaps === 0 ? 'never two inside at once' : "TWO WERE INSIDE AT ONCE, $overlaps times";
        $details[] = $turns === $counted ? 'no turn was lost: each is counted' : "TURNS ARE LOST: only $counted are counted";
        if (!$this->crew->isDone()) {
            $details[] = 'A WORKER DID NOT COME TO ITS END';
        }
        array_push($details, ...$this->complaints);
        return [...$lines, ...array_map(static fn (string $d): string => "    $d", $details)];
    }

    /** @return list<string> */
    private function turnsByServersDown(): array
    {
        $lines = [];
        foreach ($this->work() as $down => [$turns, $seconds]) {
            $lines[] = $this->hasLost($down)
                ? sprintf(
                    '%6s in the %.1f s with %d of %d down: rightly refused, %d times',
                    $turns === 0 ? 'none' : "$turns",
                    $seconds,
                    $down,
                    $this->serverCount,
                    $this->crew->troubleCount(),
                )
                : sprintf('%6s a second with %s of %d down', self::rate($turns / $seconds), $down ?: 'none', $this->serverCount);
        }
        return $lines;
    }

    private static function rate(float $perSecond): string
    {
        return sprintf($perSecond < 10 ? '%.1f' : '%.0f', $perSecond);
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
