<?php

/**
 * Chooses edits by a seed: each line of code that offers any is as likely as each other, and on a line each kind. The
 * choice goes by what a line says, not where it stands: a change elsewhere leaves most of a draw as it was.
 */

declare(strict_types=1);

namespace RedLock\Mutants;

final class Draw
{
    /**
     * @param list<Edit> $offered
     * @return list<Edit> at most one for a line; fewer than $count where there are no more lines
     */
    public static function from(array $offered, int $count, int $seed): array
    {
        $sites = [];
        foreach ($offered as $edit) {
            $sites["$edit->path:$edit->line"][$edit->kind][] = $edit;
        }
        $drawn = [];
        $seen = [];
        foreach ($sites as $kinds) {
            $name = implode("\n", array_map(static fn(array $edits): string => $edits[0]->key(), $kinds));
            $seen[$name] = ($seen[$name] ?? 0) + 1;
            $hash = hash('sha256', "$seed\n$seen[$name]\n$name");
            ksort($kinds);
            $edits = array_values($kinds)[hexdec(substr($hash, 0, 6)) % count($kinds)];
            $drawn[substr($hash, 12)] = $edits[hexdec(substr($hash, 6, 6)) % count($edits)];
        }
        ksort($drawn);
        return array_slice(array_values($drawn), 0, $count);
    }
}
