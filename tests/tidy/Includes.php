<?php

/** The rooms: includes point down only, a class's room knows no other class's, and each room has its own outside. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Includes
{
    /** What a room may include of the project; the public header stands for itself. */
    private const ROOMS = [
        'core/redlock/algorithm/' => '~^redlock/(algorithm/|types\.hpp$)~',
        'core/redlock/queue/' => '~^redlock/((algorithm|queue)/|types\.hpp$)~',
        'core/redlock/config/' => '~^redlock/((algorithm|config)/|types\.hpp$)~',
        'core/redlock/wire/' => '~^redlock/((algorithm|config|wire)/|types\.hpp$)~',
        'core/redlock/memory/' => '~^redlock/((algorithm|wire|memory)/|types\.hpp$)~',
        'core/redlock/os/' => '~^redlock/((algorithm|config|wire|memory|os)/|types\.hpp$)~',
        'core/redlock/net/' => '~^redlock/((algorithm|queue|config|wire|os|net)/|types\.hpp$)~',
        'core/redlock/locks/' => '~^redlock/((algorithm|queue|config|wire|os|net|locks)/|types\.hpp$)~',
        'core/redlock/lease/' => '~^redlock/((algorithm|config|wire|os|net|locks|lease)/|types\.hpp$)~',
        'core/redlock/client/' => '~^redlock/((algorithm|config|wire|os|net|locks|lease|client)/|(redlock|types|version)\.hpp$)~',
        'core/redlock/redlock' => '~^redlock/types\.hpp$~',
        'cli/' => '~^(cli/|redlock/redlock\.hpp$)~',
        'ext/border/' => '~^(redlock/(algorithm|config|wire|os|net|locks|lease)|border)/~',
        'ext/quorum/' => '~^(redlock/(algorithm|config|wire|os|net|locks|lease)|border|quorum)/~',
        'ext/redlock/' => '~^(redlock/(algorithm|config|wire|os|net|locks|lease)|border|quorum)/|^redlock/[a-z_]+\.(hpp|h)$~',
        'ext/lease/' => '~^(redlock/(algorithm|config|wire|os|net|locks|lease)|border|quorum|lease)/~',
        'ext/pid/' => '~^(redlock/(algorithm|config|wire|os|net|locks|lease)|border|pid)/~',
        'ext/testing/' => '~^(redlock/(algorithm|config|wire|os|net|locks|lease)|border|testing)/~',
        'ext/module/' => '~^(redlock/(algorithm|config|wire|os|net|locks|lease)|border|lease|pid|testing|module)/|^redlock/(red_lock|version)\.hpp$~',
    ];

    /** Where the paths in includes begin. */
    private const ROOTS = ['core/', 'ext/', ''];

    /** What a room may include of the system, beside C++'s own headers without a suffix. */
    private const SYSTEM = [
        'core/redlock/algorithm/' => '~^$~',
        'core/redlock/queue/' => '~^$~',
        'core/redlock/config/' => '~^arpa/inet\.h$~',
        'core/redlock/wire/' => '~^(hiredis/|openssl/|dlfcn\.h)~',
        'core/redlock/memory/' => '~^$~',
        'core/redlock/os/' => '~^(?!hiredis/|php|zend|Zend|main/|ext/|SAPI|TSRM)~',
        'core/redlock/net/' => '~^$~',
        'core/redlock/locks/' => '~^$~',
        'core/redlock/lease/' => '~^pthread\.h$~',
        'core/redlock/client/' => '~^$~',
        'core/redlock/redlock' => '~^$~',
        'cli/' => '~^(CLI/|sys/(eventfd|ioctl|prctl|signalfd|types|wait)\.h$|(fcntl|poll|termios|unistd)\.h$)~',
        'ext/border/' => '~^(php|zend|ext/|unwind\.h$)~',
        'ext/quorum/' => '~^$~',
        'ext/redlock/' => '~^$~',
        'ext/lease/' => '~^$~',
        'ext/pid/' => '~^$~',
        'ext/testing/' => '~^$~',
        'ext/module/' => '~^config\.h$~',
    ];

    /** Headers of a library that some files alone may include. */
    private const ALONE = [
        '~^CLI/~' => '~^cli/arguments\.cpp$~',
        '~^arpa/inet\.h$~' => '~^core/redlock/config/address_text\.cpp$~',
        '~^ares\.h$~' => '~^core/redlock/os/look_up\.cpp$~',
        '~^hiredis/~' => '~^core/redlock/wire/codec\.cpp$~',
        '~^unwind\.h$~' => '~^ext/border/throw_place\.cpp$~',
        '~^openssl/~' => '~^core/redlock/(wire|os)/tls_[a-z]+\.cpp$~',
    ];

    /** C++'s own headers that bring in clocks, threads, randomness or files. */
    private const IMPURE = '~^(atomic|barrier|chrono|condition_variable|ctime|filesystem|fstream|future|iostream|ostream'
        . '|latch|mutex|random|semaphore|shared_mutex|stop_token|thread)$~';

    /** The plain values in which clients report to the simulator's checker, and the servers it looks at; the functions that come with them. */
    private const CHECKER_KNOWS = '~^redlock/(types|algorithm/outcome|memory/server)\.hpp$~';
    private const RULES_OF_VALUES = '~\b(is_refusal|may_have_been_done)\b~';
    /** Where it stands what is not judged, or is no failure. */
    private const EXCUSES = '~^tests/sim/(liveness/|breaches\.)~';

    public static function check(Files $files, Report $report): void
    {
        foreach (self::ROOMS as $room => $inside) {
            $sources = $files->matching("~^$room.*\.(cpp|hpp|h)$~");
            $checked = 0;
            $complaints = [];
            foreach ($sources as $source) {
                foreach (self::includesOf($files->text($source)) as [$quoted, $header]) {
                    $checked++;
                    if (($only = self::strangerOf($source, $header)) !== null) {
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
        $sources = $files->matching('~^(cli|core|ext)/.*\.(cpp|hpp|h)$~');
        $outside = preg_grep('~^(' . implode('|', array_keys(self::ROOMS)) . ')[^/]+$~', $sources, PREG_GREP_INVERT);
        $outside = array_diff($outside, ['core/redlock/types.hpp', 'core/redlock/version.hpp']);
        $report->rule('every source stands in a room', count($sources), array_values($outside));
        self::checkHarness($files, $report);
        self::checkChecker($files, $report);
        self::checkPublicNames($files, $report);
    }

    /** A file that includes the public header beside an internal one has to compile. */
    private static function checkPublicNames(Files $files, Report $report): void
    {
        $type = '~^(?:class|struct|enum class|using)\s+(?:\[\[nodiscard\]\]\s+)?(?:REDLOCK_EXPORT\s+)?(\w+)\s*(?:final\s*)?[{=:]~m';
        $names = static function (string $path) use ($files, $type): array {
            preg_match_all($type, $files->text($path), $found);
            return array_filter($found[1]);
        };
        $public = [...$names('core/redlock/redlock.hpp'), ...$names('core/redlock/types.hpp')];
        $complaints = [];
        foreach ($files->matching('~^core/redlock/[a-z]+/.*\.hpp$~') as $path) {
            foreach (array_intersect($names($path), $public) as $name) {
                $complaints[] = "$path has a $name of its own, which is a type of the public header";
            }
        }
        $report->rule('public and internal types have different names', count($public), $complaints);
    }

    /**
     * The simulator's checker judges the core by what it was told, in plain values, and never by the core's own rules;
     * and what must never be is judged without a way to an excuse.
     */
    private static function checkChecker(Files $files, Report $report): void
    {
        $judges = $files->matching('~^tests/sim/(checker(?!_fixture)|(record|safety|liveness)/)[a-z_]*(?<!_test)\.(cpp|hpp)$~');
        $complaints = [];
        foreach ($reached = self::reachedFrom($files, $judges) as $path) {
            foreach (self::includesOf($files->text($path)) as [$quoted, $header]) {
                if (self::isOurs($header) && preg_match(self::CHECKER_KNOWS, $header) !== 1) {
                    $complaints[] = "$path must not include $header: the checker includes it";
                }
            }
        }
        foreach ($judges as $path) {
            preg_match_all(self::RULES_OF_VALUES, $files->text($path), $borrowed);
            foreach ($borrowed[0] as $name) {
                $complaints[] = "$path must judge by itself, without $name";
            }
        }
        $report->rule('the simulator\'s checker shares no rule with the core', count($reached), $complaints);

        $strict = $files->matching('~^tests/sim/(record|safety)/[a-z_]*(?<!_test)\.(cpp|hpp)$~');
        $reached = self::reachedFrom($files, $strict);
        $excused = preg_grep(self::EXCUSES, $reached);
        foreach ($strict as $path) {
            if (preg_match('~\b(FaultClass|judged_under|is_expected)\b~', $files->text($path), $named) === 1) {
                $excused[] = "$path must judge whatever is wrong, without $named[1]";
            }
        }
        $report->rule('safety is judged without an excuse', count($reached), array_values($excused));
    }

    /**
     * @param list<string> $paths
     * @return list<string> these, and all that they include of the simulator
     */
    private static function reachedFrom(Files $files, array $paths): array
    {
        $queue = $paths;
        while (($path = array_pop($queue)) !== null) {
            foreach (self::includesOf($files->text($path)) as [, $header]) {
                $next = "tests/$header";
                if (str_starts_with($header, 'sim/') && !in_array($next, $paths, true)) {
                    $paths[] = $queue[] = $next;
                }
            }
        }
        return $paths;
    }

    private static function checkHarness(Files $files, Report $report): void
    {
        $harness = $files->matching('~^harness/.*\.php$~');
        $users = '~\b(RedLock\\\\(Tests|Demo|Soak)|Bench)\\\\\w~';
        $knowing = array_filter($harness, static fn(string $path): bool => preg_match($users, $files->text($path)) === 1);
        $report->rule('harness/ knows none of those who use it', count($harness), array_values($knowing));
    }

    /** Who alone may include the header, where that is not this source. */
    private static function strangerOf(string $source, string $header): ?string
    {
        foreach (self::ALONE as $headers => $only) {
            if (preg_match($headers, $header) === 1 && preg_match($only, $source) !== 1) {
                return $only;
            }
        }
        return null;
    }

    private static function isOurs(string $header): bool
    {
        return preg_match('~^(redlock|border|quorum|lease|pid|module|cli)/~', $header) === 1;
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
            return !$quoted && !(preg_match('~/(algorithm|queue|memory)/$~', $room) && preg_match(self::IMPURE, $header));
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
