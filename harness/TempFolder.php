<?php

/** Temporary folders that vanish when the process ends; those of a killed one are swept by bin/demo and bin/test. */

declare(strict_types=1);

namespace RedLock\Harness;

final class TempFolder
{
    private static ?string $root = null;
    private static int $count = 0;

    public static function make(): string
    {
        if (self::$root === null) {
            self::$root = sys_get_temp_dir() . '/' . self::name();
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

    /** Says whose it is, as bin/lib/scratch.sh reads it: our number, when we started, and where that number counts. */
    private static function name(): string
    {
        $stat = (string) @file_get_contents('/proc/self/stat');
        $started = explode(' ', substr($stat, (int) strrpos($stat, ')') + 2))[19] ?? '0';
        $space = preg_replace('/\D/', '', (string) @readlink('/proc/self/ns/pid')) ?: '0';
        return sprintf('redlock-%d-%s-%s-%s', getmypid(), $started, $space, bin2hex(random_bytes(3)));
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
