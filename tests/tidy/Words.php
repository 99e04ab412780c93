<?php

/** Words that have no place in the project: a developer's own paths, merge leftovers, and terms that the glossary refuses. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Words
{
    public static function check(Files $files, Report $report): void
    {
        self::checkGlossary($files, $report);
        // Put together here, so that this file does not contain them.
        $forbidden = '@(?<![\w.~$}-])/(' . implode('|', ['wo' . 'rk', 'fa' . 'rm', 'ho' . 'me', 'ro' . 'ot', 'Us' . 'ers']) . ')/'
            . '|^(<{7}|>{7}|={7})( |$)'
            . '|\b' . 'sha' . 'red/(design|semantics|style|packaging|reference)'
            . '|\bFIX' . 'ME\b|\bX' . 'XX\b@m';
        $checked = 0;
        $complaints = [];
        foreach ($files->paths as $path) {
            $text = $files->text($path);
            if (str_contains(substr($text, 0, 8000), "\0")) {
                continue;
            }
            $checked++;
            foreach (preg_grep($forbidden, explode("\n", $text)) as $line => $content) {
                $complaints[] = sprintf('%s:%d %s', $path, $line + 1, substr(trim($content), 0, 80));
            }
        }
        $report->rule('no foreign paths, no leftovers', $checked, $complaints);
    }

    /** The last column of the glossary's second table, in everything that is compiled. */
    private static function checkGlossary(Files $files, Report $report): void
    {
        preg_match_all('~^\|[^|]+\|[^|]+\| ([\w, ]+) \|$~m', $files->text('docs/glossary.md'), $rows);
        $refused = array_merge(...array_map(static fn(string $cell): array => explode(', ', $cell), array_slice($rows[1], 1)));
        $pattern = '~\b(' . implode('|', $refused) . ')\b~';
        $checked = 0;
        $complaints = [];
        foreach (preg_grep('~^(core|cli|ext|tests)/.*\.[ch]pp$~', $files->paths) as $path) {
            $checked++;
            foreach (preg_grep($pattern, explode("\n", $files->text($path))) as $line => $content) {
                $complaints[] = sprintf('%s:%d %s', $path, $line + 1, substr(trim($content), 0, 80));
            }
        }
        $report->rule('no term that the glossary refuses', $checked, $complaints);
    }
}
