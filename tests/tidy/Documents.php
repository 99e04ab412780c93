<?php

/** Every link in the documents leads to something, and translations have the shape of their originals. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Documents
{
    private const SAME_IN_ALL_LANGUAGES = [
        'blocks of code' => '~^(```.*?^```)$~ms',
        'headings' => '~^(#+) ~m',
        'rows of tables' => '~^(\|)~m',
        'points of lists' => '~^(-|\d\.) ~m',
        'links to websites' => '~\]\((\w+:[^)]*)\)~',
    ];

    public static function check(Files $files, Report $report): void
    {
        self::checkTranslations($files, $report);
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

    /** Whoever changes a page changes its translation too, at least where no language is needed to see it. */
    private static function checkTranslations(Files $files, Report $report): void
    {
        $complaints = [];
        $translations = $files->matching('~\.zh-CN\.md$~');
        foreach ($translations as $path) {
            $original = str_replace('.zh-CN', '', $path);
            foreach ([[$path, $original], [$original, $path]] as [$from, $to]) {
                if (!str_contains($files->text($from), '](' . basename($to) . ')')) {
                    $complaints[] = "$from has no link to $to";
                }
            }
            foreach (self::SAME_IN_ALL_LANGUAGES as $what => $pattern) {
                preg_match_all($pattern, $files->text($original), $there);
                preg_match_all($pattern, $files->text($path), $here);
                foreach (array_keys($there[1] + $here[1]) as $i) {
                    if (($there[1][$i] ?? null) !== ($here[1][$i] ?? null)) {
                        $complaints[] = "$path has not the $what of $original, from number " . ($i + 1) . ' on';
                        break;
                    }
                }
            }
        }
        $report->rule('translations have the code, headings and rows of their originals', count($translations), $complaints);
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
