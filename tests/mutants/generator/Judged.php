<?php

/**
 * The edits that the tests let pass and somebody has judged: survivors.txt, an entry for each:
 *
 *     core/redlock/config/url.cpp
 *     - the line as it is
 *     + the line as it was edited
 *     equivalent: why nobody can tell the two apart      (or "open: what is missing")
 *
 * Entries have an empty line between them; before the first one may stand what the file is.
 */

declare(strict_types=1);

namespace RedLock\Mutants;

final class Judged
{
    /** @param array<string, array{string, string}> $entries judgement and reason, by the key of an edit */
    private function __construct(private readonly array $entries)
    {
    }

    public static function read(string $text): self
    {
        $entries = [];
        foreach (preg_split('~\n(\h*\n)+~', trim($text)) as $paragraph) {
            if (str_starts_with($paragraph, '#') || $paragraph === '') {
                continue;
            }
            $pattern = '~^(\S+)\n- (.*)\n\+ ?(.*)\n(equivalent|open): (.+)$~s';
            if (!preg_match($pattern, $paragraph, $found)) {
                throw new \RuntimeException("survivors.txt has an entry that cannot be read:\n$paragraph");
            }
            $key = $found[1] . "\n" . Edit::squeeze($found[2]) . "\n" . Edit::squeeze($found[3]);
            if (isset($entries[$key])) {
                throw new \RuntimeException("survivors.txt has an entry twice:\n$paragraph");
            }
            $entries[$key] = [$found[4], Edit::squeeze($found[5])];
        }
        return new self($entries);
    }

    /** "equivalent", "open" or, where nobody has judged it, "new". */
    public function of(Edit $edit): string
    {
        return $this->entries[$edit->key()][0] ?? 'new';
    }

    /**
     * Entries whose edit no source offers any more.
     *
     * @param list<Edit> $offered
     * @return list<string>
     */
    public function outdated(array $offered): array
    {
        $keys = array_flip(array_map(static fn(Edit $edit): string => $edit->key(), $offered));
        return array_keys(array_diff_key($this->entries, $keys));
    }
}
