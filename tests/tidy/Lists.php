<?php

/** The lists of files agree with the tree: sources.txt, package.xml, and the tests that CMake builds. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Lists
{
    /** The role that package.xml gives to a path; what matches nothing is not packed. */
    private const ROLES = [
        '~^(config\.m4|sources\.txt|CMakeLists\.txt|cmake/.*\.(cmake|in))$~' => 'src',
        '~^core/.*\.(cpp|hpp)$~' => 'src',
        '~^cli/~' => 'src',
        '~^ext/.*\.(cpp|hpp|h|stub\.php)$~' => 'src',
        '~^tests/phpt/~' => 'test',
        '~^(LICENSE|[A-Z]+(\.zh-CN)?\.md|docs/.*\.(md|svg)|examples/.*|stubs/.*\.php'
            . '|bridges/[a-z-]+/(README\.md|composer\.json|src/.*))$~' => 'doc',
    ];

    public static function check(Files $files, Report $report): void
    {
        self::compare(
            $report,
            'sources.txt names every source',
            'sources.txt',
            $files->matching('~^(core/(?!redlock/client/)|ext/).*\.cpp$~'),
            self::lines($files->text('sources.txt')),
        );
        // The extension has no use for it.
        preg_match_all('~^\s+(core/\S+\.cpp)$~m', $files->text('CMakeLists.txt'), $client);
        self::compare(
            $report,
            'CMakeLists.txt names every source of the C++ users\' API',
            'CMakeLists.txt',
            $files->matching('~^core/redlock/client/.*\.cpp$~'),
            $client[1],
        );
        preg_match_all('~^  (\w+\.cpp)$~m', $files->text('cli/CMakeLists.txt'), $cli);
        self::compare(
            $report,
            'cli/CMakeLists.txt names every source of the command line',
            'cli/CMakeLists.txt',
            array_map(basename(...), $files->matching('~^cli/.*\.cpp$~')),
            $cli[1],
        );
        $sources = self::lines($files->text('sources.txt'));
        $sorted = $sources;
        sort($sorted);
        $report->rule('sources.txt is sorted', count($sources), $sources === $sorted ? [] : ['it is not']);
        self::checkObjects($sources, $report);
        self::checkPackage($files, $report);
        self::checkCMake($files, $report);
    }

    /** phpize cuts a source's name at its first dot, so that two could share one object. */
    private static function checkObjects(array $sources, Report $report): void
    {
        $dotted = array_filter($sources, static fn(string $path): bool => substr_count($path, '.') !== 1);
        $report->rule('sources have one dot in their path', count($sources), array_values($dotted));
    }

    private static function checkPackage(Files $files, Report $report): void
    {
        $expected = [];
        foreach ($files->paths as $path) {
            foreach (self::ROLES as $pattern => $role) {
                if (preg_match($pattern, $path)) {
                    $expected[] = "<file name=\"$path\" role=\"$role\"/>";
                    break;
                }
            }
        }
        preg_match_all('~<file name="[^"]+" role="[^"]+"/>~', $files->text('package.xml'), $listed);
        self::compare($report, 'package.xml lists every file in its role', 'package.xml', $expected, $listed[0]);
    }

    private static function checkCMake(Files $files, Report $report): void
    {
        preg_match_all('~^\s+((?:unit|io)/\S+_test\.cpp)~m', $files->text('tests/CMakeLists.txt'), $listed);
        $tests = $files->matching('~^tests/(unit|io)/.*_test\.cpp$~');
        $tests = array_map(static fn(string $path): string => substr($path, strlen('tests/')), $tests);
        self::compare($report, 'tests/CMakeLists.txt builds every test', 'tests/CMakeLists.txt', $tests, $listed[1]);
    }

    /**
     * @param list<string> $tree
     * @param list<string> $list
     */
    private static function compare(Report $report, string $rule, string $name, array $tree, array $list): void
    {
        $complaints = [];
        foreach (array_diff($tree, $list) as $entry) {
            $complaints[] = "$name lacks $entry";
        }
        foreach (array_diff($list, $tree) as $entry) {
            $complaints[] = "$name should not have $entry";
        }
        foreach (array_keys(array_filter(array_count_values($list), static fn(int $n): bool => $n > 1)) as $entry) {
            $complaints[] = "$name has $entry twice";
        }
        $report->rule($rule, count($tree), $complaints);
    }

    /** @return list<string> the lines without comments */
    private static function lines(string $text): array
    {
        $lines = array_map('trim', preg_replace('~#.*~', '', explode("\n", $text)));
        return array_values(array_filter($lines, static fn(string $line): bool => $line !== ''));
    }
}
