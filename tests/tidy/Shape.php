<?php

/** The shape of a file: of a size to be read at one sitting, and opened by a sentence that says its purpose. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Shape
{
    private const LINES_MAX = 400;

    public static function check(Files $files, Report $report): void
    {
        $written = array_values(array_filter(
            $files->matching('~\.(cpp|hpp|h|php|m4|cmake|inc|lua)$|CMakeLists\.txt$|^bin/|^tests/\w+$|^tests/stages/~'),
            Files::isHandWritten(...),
        ));
        $complaints = [];
        foreach ($written as $path) {
            $lines = substr_count($files->text($path), "\n");
            if ($lines > self::LINES_MAX) {
                $complaints[] = "$path has $lines lines";
            }
        }
        $report->rule('no file is longer than ' . self::LINES_MAX . ' lines', count($written), $complaints);

        $opened = array_values(array_filter($written, static fn(string $path): bool => !str_ends_with($path, '.inc')));
        $complaints = [];
        foreach ($opened as $path) {
            if (!self::opensWithSentence($files->text($path))) {
                $complaints[] = "$path does not open with a sentence in a comment";
            }
        }
        $report->rule('files open with what they are for', count($opened), $complaints);
    }

    /** A comment right at the top (behind #!, <?php and what PHP wants first), whose first paragraph ends a sentence. */
    private static function opensWithSentence(string $text): bool
    {
        $text = preg_replace(['~\A#!.*\n~', '~\A<\?php\s+((declare|namespace|use) ?[^;]*;\s+)*~'], '', $text);
        if (!preg_match('~\A(/\*\*?.*?\*/|(?:(?://|#|dnl\b|--).*\n)+)~s', $text, $comment)) {
            return false;
        }
        return preg_match('~\w.*[.:;](\s|\*/|$)~', $comment[1]) === 1;
    }
}
