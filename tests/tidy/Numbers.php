<?php

/** No conversion between text and numbers asks the locale: its decimal comma once kept every release from working. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Numbers
{
    private const FUNCTIONS = 'v?s?n?printf|v?asprintf|s?scanf|strto(?:f|d|ld)|ato[fil]|sto(?:f|d|ld)|setlocale|std::v?format';
    private const STREAMS = 'iostream|ostream|istream|sstream|fstream|iomanip|locale|clocale|format';

    public static function check(Files $files, Report $report): void
    {
        $paths = $files->matching('~^(core|ext)/.*\.(cpp|hpp)$~');
        $forbidden = '~\b(?:' . self::FUNCTIONS . ')\s*\(|^#include <(?:' . self::STREAMS . ')>'
            // to_string() of what may be no whole number; counts and sizes are.
            . '|\bto_string\([^()]*(?:as_ms|seconds|double|float)~';
        $complaints = [];
        foreach ($paths as $path) {
            foreach (preg_grep($forbidden, explode("\n", $files->text($path))) as $line => $content) {
                $complaints[] = sprintf('%s:%d %s', $path, $line + 1, trim($content));
            }
        }
        $report->rule('numbers and text do not ask the locale', count($paths), $complaints);
    }
}
