<?php

/** What is told while the soak runs and at its end, and the judgement. */

declare(strict_types=1);

namespace RedLock\Soak;

final class Report
{
    /** @var array<string, int> */
    private array $fired = ['server stopped' => 0, 'server killed' => 0, 'server restarted' => 0, 'client paused' => 0, 'client killed' => 0];
    /** @var list<string> */
    private array $complaints = [];

    /** @param list<Group> $groups */
    public function __construct(private readonly array $groups)
    {
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
        $sum = fn (string $number): int
            => array_sum(array_map(static fn (Group $g): int => $g->sum($number), $this->groups));
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
            $sum('turns'),
            array_sum(array_map(static fn (Group $g): int => count($g->witness->overlaps()), $this->groups)),
            implode(', ', $fired),
            $sum('orphansSeen'),
            $sum('orphansGone'),
            implode(' ', $vitals),
        );
    }

    /** Prints the summary; true when all is well. */
    public function close(float $seconds): bool
    {
        foreach ($this->groups as $group) {
            $this->judge($group);
        }
        printf("\nSummary after %.0f s\n", $seconds);
        foreach ($this->rows() as $title => $cell) {
            printf("  %-34s", $title);
            foreach ($this->groups as $group) {
                printf('%18s', $cell($group));
            }
            echo "\n";
        }
        foreach ($this->fired as $kind => $count) {
            printf("  %-34s%18d\n", "fired: $kind", $count);
        }
        foreach ($this->complaints as $complaint) {
            echo "  WRONG: $complaint\n";
        }
        echo $this->complaints === [] ? "  All is well.\n" : "  SOMETHING WENT WRONG.\n";
        return $this->complaints === [];
    }

    private function judge(Group $group): void
    {
        foreach (array_slice($group->witness->overlaps(), 0, 3) as $overlap) {
            $overstay = $group->witness->overstay($overlap);
            $this->complain("overlap: $overlap" . ($overstay === null ? '' : sprintf(
                ', who had outstayed his keys by %.0f ms: this machine was too busy to let him out',
                $overstay * 1000,
            )));
        }
        $turns = $group->sum('turns');
        $counted = $group->witness->count();
        // A client may be killed between its count and its word.
        if ($counted < $turns || $counted > $turns + $group->sum('kills')) {
            $this->complain("$group->name: $turns turns, but the witness counted $counted");
        }
        if ($turns === 0) {
            $this->complain("$group->name: nothing was done");
        }
        if ($group->oldestKey() > $group->trade->keySecondsMax()) {
            $this->complain(sprintf('%s: a key stayed for %.2f s', $group->name, $group->oldestKey()));
        }
        if ($group->sum('orphansSeen') !== $group->sum('orphansGone') || $group->sum('immortals') > 0) {
            $this->complain("$group->name: an orphan has not gone, or never will");
        }
        if (!$group->isElderAsBefore()) {
            $this->complain("$group->name: descriptors, threads or memory of the client that lived throughout grew");
        }
    }

    /** @return array<string, \Closure(Group): string> */
    private function rows(): array
    {
        $number = static fn (string $name): \Closure => static fn (Group $g): string => (string) $g->sum($name);
        $calm = static fn (int $which): \Closure => static fn (Group $g): string
            => "{$g->vitals->calm('before')[$which]} -> {$g->vitals->calm('after')[$which]}";
        return [
            '' => static fn (Group $g): string => $g->name,
            'overlaps' => static fn (Group $g): string => (string) count($g->witness->overlaps()),
            'turns reported' => $number('turns'),
            'turns counted by the witness' => static fn (Group $g): string => (string) $g->witness->count(),
            'turns with extend()' => $number('extended'),
            'turns that outlasted their lock' => $number('late'),
            'leases that were lost' => $number('lost'),
            'exceptions in clients' => $number('troubles'),
            'clients killed' => $number('kills'),
            'orphan keys seen' => $number('orphansSeen'),
            'orphan keys gone' => $number('orphansGone'),
            'oldest key, s, and its bound' => static fn (Group $g): string
                => sprintf('%.2f <= %.1f', $g->oldestKey(), $g->trade->keySecondsMax()),
            'elder: descriptors when calm' => $calm(0),
            'elder: most descriptors' => static fn (Group $g): string => (string) $g->vitals->fdsMax,
            'elder: threads when calm' => $calm(1),
            'elder: RSS, KiB' => static fn (Group $g): string => (string) $g->vitals->rssKib,
            'elder: RSS growth after warm-up' => static fn (Group $g): string => $g->vitals->growthKib() . ' KiB',
        ];
    }
}
