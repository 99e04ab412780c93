<?php

/** Temporary folders that vanish when the process ends. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

final class TempFolder
{
    private static ?string $root = null;
    private static int $count = 0;

    public static function make(): string
    {
        if (self::$root === null) {
            self::$root = sys_get_temp_dir() . '/redlock-' . getmypid() . '-' . bin2hex(random_bytes(4));
            mkdir(self::$root, 0700);
            $owner = getmypid();
            register_shutdown_function(static function () use ($owner): void {
                if (getmypid() === $owner) {
                    ChildProcess::endAll();
                    self::remove((string) self::$root);
                }
            });
        }
        $folder = self::$root . '/' . ++self::$count;
        mkdir($folder);
        return $folder;
    }

    public static function remove(string $path): void
    {
        if (is_dir($path) && !is_link($path)) {
            foreach (array_diff((array) scandir($path), ['.', '..']) as $name) {
                self::remove("$path/$name");
            }
            rmdir($path);
        } elseif (file_exists($path)) {
            unlink($path);
        }
    }
}
