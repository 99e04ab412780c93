<?php

/** The rooms: includes point down only, a class's room knows no other class, and each room has its own outside. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Includes
{
    /** What a room may include of the project. */
    private const ROOMS = [
        'core/redlock/algorithm/' => '~^redlock/algorithm/~',
        'core/redlock/wire/' => '~^redlock/(algorithm|wire)/~',
        'core/redlock/runtime/' => '~^redlock/(algorithm|wire|runtime)/~',
        'ext/border/' => '~^(redlock/(algorithm|wire|runtime)|border)/~',
        'ext/quorum/' => '~^(redlock/(algorithm|wire|runtime)|border|quorum)/~',
        'ext/pid/' => '~^(redlock/(algorithm|wire|runtime)|border|pid)/~',
        'ext/module/' => '~^(redlock/(algorithm|wire|runtime)|border|quorum|pid|module)/|^redlock/version\.hpp$~',
    ];

    /** Where the paths in includes begin. */
    private const ROOTS = ['core/', 'ext/'];

    /** What a room may include of the system, beside C++'s own headers without a suffix. */
    private const SYSTEM = [
        'core/redlock/algorithm/' => '~^$~',
        'core/redlock/wire/' => '~^(hiredis/|dlfcn\.h)~',
        'core/redlock/runtime/' => '~^(?!hiredis/|php|zend|Zend|main/|ext/|SAPI|TSRM)~',
        'ext/border/' => '~^(php|zend|ext/)~',
        'ext/quorum/' => '~^$~',
        'ext/pid/' => '~^$~',
        'ext/module/' => '~^config\.h$~',
    ];

    /** Headers of a library that one file alone may include. */
    private const ALONE = [
        'ares.h' => 'core/redlock/runtime/look_up.cpp',
        'hiredis/hiredis.h' => 'core/redlock/wire/codec.cpp',
    ];

    /** C++'s own headers that bring in clocks, threads, randomness or files. */
    private const IMPURE = '~^(atomic|barrier|chrono|condition_variable|ctime|filesystem|fstream|future|iostream|ostream'
        . '|latch|mutex|random|semaphore|shared_mutex|stop_token|thread)$~';

    public static function check(Files $files, Report $report): void
    {
        foreach (self::ROOMS as $room => $inside) {
            $sources = $files->matching("~^$room.*\.(cpp|hpp|h)$~");
            $checked = 0;
            $complaints = [];
            foreach ($sources as $source) {
                foreach (self::includesOf($files->text($source)) as [$quoted, $header]) {
                    $checked++;
                    if (($only = self::ALONE[$header] ?? $source) !== $source) {
                        $complaints[] = "$source must not include $header, which is for $only alone";
                    } elseif (!self::isAllowed($room, $inside, $quoted, $header)) {
                        $complaints[] = "$source must not include $header";
                    } elseif (self::isOurs($header) && !self::exists($files, $header)) {
                        $complaints[] = "$source includes $header, which does not exist";
                    }
                }
            }
            $report->rule("$room includes only what belongs there", $checked, $complaints);
        }
        $sources = $files->matching('~^(core|ext)/.*\.(cpp|hpp|h)$~');
        $outside = preg_grep('~^(' . implode('|', array_keys(self::ROOMS)) . ')[^/]+$~', $sources, PREG_GREP_INVERT);
        $outside = array_diff($outside, ['core/redlock/version.hpp']);
        $report->rule('every source stands in a room', count($sources), array_values($outside));
        self::checkHarness($files, $report);
    }

    private static function checkHarness(Files $files, Report $report): void
    {
        $harness = $files->matching('~^harness/.*\.php$~');
        $users = '~\b(RedLock\\\\(Tests|Demo|Soak)|Bench)\\\\\w~';
        $knowing = array_filter($harness, static fn(string $path): bool => preg_match($users, $files->text($path)) === 1);
        $report->rule('harness/ knows none of those who use it', count($harness), array_values($knowing));
    }

    private static function isOurs(string $header): bool
    {
        return preg_match('~^(redlock|border|quorum|pid|module)/~', $header) === 1;
    }

    private static function exists(Files $files, string $header): bool
    {
        return array_filter(self::ROOTS, static fn(string $root): bool => $files->has("$root$header")) !== [];
    }

    private static function isAllowed(string $room, string $inside, bool $quoted, string $header): bool
    {
        if ($quoted && preg_match($inside, $header)) {
            return true;
        }
        if (preg_match('~^[a-z_0-9]+$~', $header)) {
            return !$quoted && !(str_ends_with($room, 'algorithm/') && preg_match(self::IMPURE, $header));
        }
        // In ext/, "php.h" and its like are quoted.
        return (str_starts_with($room, 'ext/') || !$quoted) && preg_match(self::SYSTEM[$room], $header) === 1;
    }

    /** @return list<array{bool, string}> whether quoted, and the header */
    private static function includesOf(string $text): array
    {
        preg_match_all('~^\s*#\s*include\s*([<"])([^>"]+)[>"]~m', $text, $found, PREG_SET_ORDER);
        return array_map(static fn(array $match): array => [$match[1] === '"', $match[2]], $found);
    }
}
