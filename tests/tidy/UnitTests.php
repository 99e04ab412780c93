<?php

/** Every source of the core has a test of its own name, or a reason why it has none. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class UnitTests
{
    /** Sources without a test of their own name, and where they are tested instead. */
    private const ELSEWHERE = [
    ];

    public static function check(Files $files, Report $report): void
    {
        $sources = $files->matching('~^core/.*\.cpp$~');
        $complaints = [];
        foreach ($sources as $source) {
            $test = basename($source, '.cpp') . '_test.cpp';
            $own = $files->matching('~^tests/(unit|io)/(.*/)?' . preg_quote($test) . '$~');
            if ($own === [] && !isset(self::ELSEWHERE[$source])) {
                $complaints[] = "$source has neither a $test nor a reason";
            } elseif ($own !== [] && isset(self::ELSEWHERE[$source])) {
                $complaints[] = "$source has a test: take it off the list of exceptions";
            }
        }
        foreach (array_diff(array_keys(self::ELSEWHERE), $sources) as $gone) {
            $complaints[] = "$gone is on the list of exceptions and does not exist";
        }
        $report->rule('every source of the core has its test', count($sources), $complaints);
    }
}
