<?php

/** The documents agree with the tree: the API page with the stubs that it is made of, every link with what it leads to. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Documents
{
    public static function check(Files $files, Report $report): void
    {
        $current = $files->output('bin/api-page', '--print') === $files->text('docs/api.md');
        $report->rule('docs/api.md is what the stubs say', 1, $current ? [] : ['it is not; run bin/api-page']);

        $checked = 0;
        $complaints = [];
        foreach ($files->matching('~\.md$~') as $path) {
            preg_match_all('~\]\((?!\w+:)([^)#\s]*)(?:#([^)]*))?\)~', $files->text($path), $links, PREG_SET_ORDER);
            foreach ($links as $match) {
                [$link, $target, $heading] = $match + ['', '', ''];
                $checked++;
                $target = $target === '' ? $path : self::resolved(dirname($path), $target);
                $there = $files->has($target) || $files->matching("~^\Q$target\E/~") !== [];
                if (!$there || ($heading !== '' && !in_array($heading, self::anchors($files->text($target)), true))) {
                    $complaints[] = "$path has the link $link to what is not there";
                }
            }
        }
        $report->rule('links in documents lead to files and headings', $checked, $complaints);
    }

    /** @return list<string> the names that a page's headings have in links */
    private static function anchors(string $page): array
    {
        preg_match_all('~^#+ (.+)$~m', $page, $headings);
        return preg_replace(['~[^\w -]+~u', '~ ~'], ['', '-'], array_map('strtolower', $headings[1]));
    }

    /** A link as seen from a folder, without `..` and `.`. */
    private static function resolved(string $folder, string $link): string
    {
        $parts = [];
        foreach (explode('/', "$folder/$link") as $part) {
            if ($part === '..') {
                array_pop($parts);
            } elseif ($part !== '.') {
                $parts[] = $part;
            }
        }
        return implode('/', $parts);
    }
}
