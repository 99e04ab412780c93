<?php

/** What is told while the soak runs and at its end, and the judgement. */

declare(strict_types=1);

namespace RedLock\Soak;

final class Report
{
    /** @var array<string, int> */
    private array $fired = [
        'server stopped' => 0,
        'server killed' => 0,
        'server restarted' => 0,
        'server forgot' => 0,
        'two servers forgot' => 0,
        'client paused' => 0,
        'client killed' => 0,
    ];
    /** @var list<string> */
    private array $complaints = [];
    /** @var list<Group> */
    private readonly array $groups;
    private readonly KindsReport $kinds;

    /** @param list<TurnGroup> $turnGroups */
    public function __construct(private readonly array $turnGroups, KindsGroup $kinds)
    {
        $this->groups = [...$turnGroups, $kinds];
        $this->kinds = new KindsReport($kinds);
    }

    /** @param list<string> $kinds */
    public function count(array $kinds): void
    {
        foreach ($kinds as $kind) {
            ++$this->fired[$kind];
        }
    }

    public function complain(string $what): void
    {
        $this->complaints[] = $what;
    }

    public function progress(float $seconds, string $phase): void
    {
        $sum = static fn (array $groups, callable $number): int => array_sum(array_map($number, $groups));
        $vitals = array_map(
            static fn (Group $g): string => sprintf('%.1fM/%d', $g->vitals->rssKib / 1024, $g->vitals->fds),
            $this->groups,
        );
        $kinds = array_keys($this->fired);
        $fired = array_map(static fn (int $n, string $kind): string => "$n $kind", $this->fired, $kinds);
        printf(
            "%4.0f s %-7s turns %d  overlaps %d  fired: %s  orphans %d seen, %d gone  rss/fds %s\n",
            $seconds,
            $phase,
            $sum($this->groups, static fn (Group $g): int => $g->turns()),
            $sum($this->groups, static fn (Group $g): int => count($g->overlaps())),
            implode(', ', $fired),
            $sum($this->turnGroups, static fn (TurnGroup $g): int => $g->seen('orphansSeen')),
            $sum($this->turnGroups, static fn (TurnGroup $g): int => $g->seen('orphansGone')),
            implode(' ', $vitals),
        );
    }

    /** Prints the summary; true when all is well. */
    public function close(float $seconds): bool
    {
        foreach ($this->turnGroups as $group) {
            $this->judge($group);
        }
        array_map($this->complain(...), $this->kinds->complaints());
        printf("\nSummary after %.0f s\n", $seconds);
        foreach ($this->rows() as $title => $cell) {
            printf("  %-34s", $title);
            foreach ($this->turnGroups as $group) {
                printf('%18s', $cell($group));
            }
            echo "\n";
        }
        $this->kinds->print();
        foreach ($this->fired as $kind => $count) {
            printf("  %-34s%18d\n", "fired: $kind", $count);
        }
        foreach ($this->complaints as $complaint) {
            echo "  WRONG: $complaint\n";
        }
        echo $this->complaints === [] ? "  All is well.\n" : "  SOMETHING WENT WRONG.\n";
        return $this->complaints === [];
    }

    private function judge(TurnGroup $group): void
    {
        foreach (array_slice($group->witness->overlaps(), 0, 3) as $overlap) {
            $overstay = $group->witness->overstay($overlap);
            $this->complain("overlap: $overlap" . ($overstay === null ? '' : sprintf(
                ', who had outstayed his keys by %.0f ms: this machine was too busy to let him out',
                $overstay * 1000,
            )));
        }
        $turns = $group->turns();
        $counted = $group->witness->count();
        // A client may be killed between its count and its word.
        if ($counted < $turns || $counted > $turns + $group->kills()) {
            $this->complain("$group->name: $turns turns, but the witness counted $counted");
        }
        if ($turns === 0) {
            $this->complain("$group->name: nothing was done");
        }
        if ($group->oldestKey() > $group->trade->keySecondsMax()) {
            $this->complain(sprintf('%s: a key stayed for %.2f s', $group->name, $group->oldestKey()));
        }
        if ($group->seen('orphansSeen') !== $group->seen('orphansGone') || $group->seen('immortals') > 0) {
            $this->complain("$group->name: an orphan has not gone, or never will");
        }
        if (!$group->isElderAsBefore()) {
            $this->complain("$group->name: descriptors, threads or memory of the client that lived throughout grew");
        }
    }

    /** @return array<string, \Closure(TurnGroup): string> */
    private function rows(): array
    {
        $said = static fn (string $word): \Closure => static fn (TurnGroup $g): string => (string) $g->said($word);
        $seen = static fn (string $number): \Closure => static fn (TurnGroup $g): string => (string) $g->seen($number);
        $calm = static fn (int $which): \Closure => static fn (TurnGroup $g): string
            => "{$g->vitals->calm('before')[$which]} -> {$g->vitals->calm('after')[$which]}";
        return [
            '' => static fn (TurnGroup $g): string => $g->name,
            'overlaps' => static fn (TurnGroup $g): string => (string) count($g->witness->overlaps()),
            'turns reported' => $said('turn'),
            'turns counted by the witness' => static fn (TurnGroup $g): string => (string) $g->witness->count(),
            'turns with extend()' => $said('extended'),
            'turns that outlasted their lock' => $said('late'),
            'leases that were lost' => $said('lost'),
            'exceptions in clients' => $said('trouble'),
            'clients killed' => static fn (TurnGroup $g): string => (string) $g->kills(),
            'orphan keys seen' => $seen('orphansSeen'),
            'orphan keys gone' => $seen('orphansGone'),
            'oldest key, s, and its bound' => static fn (TurnGroup $g): string
                => sprintf('%.2f <= %.1f', $g->oldestKey(), $g->trade->keySecondsMax()),
            'elder: descriptors when calm' => $calm(0),
            'elder: most descriptors' => static fn (TurnGroup $g): string => (string) $g->vitals->fdsMax,
            'elder: threads when calm' => $calm(1),
            'elder: RSS, KiB' => static fn (TurnGroup $g): string => (string) $g->vitals->rssKib,
            'elder: RSS growth after warm-up' => static fn (TurnGroup $g): string => $g->vitals->growthKib() . ' KiB',
        ];
    }
}
