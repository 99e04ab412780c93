<?php

/** The documents agree with the tree: the API page with the stubs that it is made of, every link with a file. */

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
            preg_match_all('~\]\((?!\w+:)([^)#\s]+)(?:#[^)]*)?\)~', $files->text($path), $links);
            foreach ($links[1] as $link) {
                $checked++;
                if (!$files->has(self::resolved(dirname($path), $link))) {
                    $complaints[] = "$path links to $link, which is not there";
                }
            }
        }
        $report->rule('links in documents lead to files', $checked, $complaints);
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
