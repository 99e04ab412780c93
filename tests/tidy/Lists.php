<?php

/** What phpize wants of the names of sources, and that what is generated was generated of what is there now. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Lists
{
    public static function check(Files $files, Report $report): void
    {
        // It cuts a name at its first dot, so that two could share one object.
        $sources = $files->matching('~^(core|ext)/.*\.cpp$~');
        $dotted = array_filter($sources, static fn(string $path): bool => substr_count($path, '.') !== 1);
        $report->rule('sources have one dot in their path', count($sources), array_values($dotted));

        $generated = [
            'docs/api.md' => 'bin/api-page',
            'core/redlock/wire/scripts.cpp' => 'bin/scripts',
            'package.xml' => 'bin/package --xml',
        ];
        foreach ($generated as $path => $generator) {
            $current = $files->output(strtok($generator, ' '), '--print') === $files->text($path);
            $report->rule("$path is up to date", 1, $current ? [] : ["it is not; run $generator"]);
        }
        self::checkProtocol($files, $report);
    }

    /** Other clients send what the page names: it knows each script by the SHA1 that is sent. */
    private static function checkProtocol(Files $files, Report $report): void
    {
        $named = static function (string $pattern, string $path) use ($files): array {
            preg_match_all($pattern, $files->text($path), $found);
            $names = array_combine($found[1], $found[2]);
            ksort($names);
            return $names;
        };
        $sent = $named('~^const Script (\w+)\{.*?\n"([0-9a-f]{40})"\};$~ms', 'core/redlock/wire/scripts.cpp');
        $told = $named('~^\| `(\w+)` \| `([0-9a-f]{40})` \|~m', 'docs/protocol.md');
        $complaints = [];
        foreach (array_keys(array_diff_assoc($sent, $told) + array_diff_assoc($told, $sent)) as $name) {
            $complaints[] = "docs/protocol.md and core/redlock/wire/scripts.cpp differ about $name";
        }
        $report->rule('docs/protocol.md has the SHA1 of every script', count($sent), $complaints);
    }
}
