<?php

/** One version: core/redlock/version.hpp states it, the descriptions for packagers repeat it. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Versions
{
    public static function check(Files $files, Report $report): void
    {
        preg_match('~kVersion\[\] = "([^"]+)"~', $files->text('core/redlock/version.hpp'), $stated);
        $version = $stated[1] ?? '';
        $places = [
            'ext/module/php_redlock.h' => '~^#define PHP_REDLOCK_VERSION "([^"]+)"~m',
            'CHANGELOG.md' => '~^## \[?v?([0-9][^\s\]]*)~m',
        ];
        $complaints = $version === '' ? ['core/redlock/version.hpp states none'] : [];
        foreach ($places as $path => $pattern) {
            preg_match($pattern, $files->text($path), $found);
            if (($found[1] ?? '') !== $version) {
                $complaints[] = sprintf('%s says "%s", not "%s"', $path, $found[1] ?? '', $version);
            }
        }
        // All other code takes the version from the header, so that it cannot say another.
        foreach ($files->matching('~^(core|ext|cmake)/|^CMakeLists\.txt$|^config\.m4$|^composer\.json$~') as $path) {
            $isPlace = $path === 'core/redlock/version.hpp' || isset($places[$path]);
            if (!$isPlace && $version !== '' && str_contains($files->text($path), "\"$version\"")) {
                $complaints[] = "$path repeats the version";
            }
        }
        $report->rule('the version is the same everywhere', count($places), $complaints);
    }
}
