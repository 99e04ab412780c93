<?php

/** What the summary tells of the clients of all kinds of locks: a row for each kind, and what was wrong. */

declare(strict_types=1);

namespace RedLock\Soak;

final class KindsReport
{
    public function __construct(private readonly KindsGroup $group)
    {
    }

    public function print(): void
    {
        $group = $this->group;
        printf("\n  %-18s%10s%10s%10s%14s\n", $group->name, 'acquired', 'refused', 'overlaps', 'fences wrong');
        foreach (KindsGroup::KINDS as $kind) {
            printf("  %-18s%10d%10d", $kind, $group->said("$kind.acquired"), $group->said("$kind.refused"));
            printf("%10d%14d\n", count($group->wrong('overlap', $kind)), count($group->wrong('fence', $kind)));
        }
        printf(
            "  extended %d  outlasted their lock %d  exceptions %d  clients killed %d  elder: RSS growth %d KiB\n\n",
            $group->said('extended'),
            $group->said('late'),
            $group->said('trouble'),
            $group->kills(),
            $group->vitals->growthKib(),
        );
    }

    /** @return list<string> */
    public function complaints(): array
    {
        $complaints = [...array_slice($this->group->wrong('overlap'), 0, 3), ...array_slice($this->group->wrong('fence'), 0, 3)];
        foreach (KindsGroup::KINDS as $kind) {
            if ($this->group->said("$kind.acquired") === 0) {
                $complaints[] = "{$this->group->name}: none was ever $kind";
            }
        }
        if (!$this->group->isElderAsBefore()) {
            $complaints[] = "{$this->group->name}: descriptors, threads or memory of the client that lived throughout grew";
        }
        return $complaints;
    }
}
