<?php

declare(strict_types=1);

namespace Bench;

use RedLock\Harness\RedisServer;

/** Describes where the figures were measured; a figure without its machine says little. */
final class Machine
{
    /** @return array<string, string|int> */
    public static function describe(string $hiredisVersion, string $extension): array
    {
        return [
            'cpu' => self::match('/^model name\s*:\s*(.+)$/m', '/proc/cpuinfo'),
            'cores' => (int) self::firstLine('nproc'),
            'memory_gib' => (int) round((int) self::match('/^MemTotal:\s+(\d+)/m', '/proc/meminfo') / 1048576),
            'kernel' => php_uname('s') . ' ' . php_uname('r'),
            'system' => self::match('/^PRETTY_NAME="(.+)"$/m', '/etc/os-release'),
            'server' => self::serverVersion(),
            'php' => PHP_VERSION . (PHP_ZTS ? ' ZTS' : ' NTS') . (PHP_DEBUG ? ' debug' : ''),
            'phpredis' => (string) phpversion('redis'),
            'redlock' => self::extensionVersion($extension),
            'hiredis' => $hiredisVersion,
            'load_average' => sprintf('%.2f', sys_getloadavg()[0] ?? NAN),
            'compiler' => self::firstLine((getenv('CXX') ?: 'g++') . ' --version'),
        ];
    }

    /** One line for people. @param array<string, string|int> $machine */
    public static function summarise(array $machine): string
    {
        return "$machine[cpu], $machine[cores] cores, $machine[memory_gib] GiB, $machine[system], $machine[kernel]; "
            . "$machine[server], PHP $machine[php], phpredis $machine[phpredis], redlock $machine[redlock], "
            . "hiredis $machine[hiredis]; load average $machine[load_average] at the start";
    }

    private static function serverVersion(): string
    {
        $line = self::firstLine(escapeshellarg(RedisServer::program()) . ' --version');
        preg_match('/v=([\d.]+)/', $line, $match);

        return basename(RedisServer::program()) . ' ' . ($match[1] ?? 'of unknown version');
    }

    private static function extensionVersion(string $extension): string
    {
        $command = [PHP_BINARY, '-d', "extension=$extension", '-r', 'echo phpversion("redlock");'];

        return self::firstLine(implode(' ', array_map(escapeshellarg(...), $command)));
    }

    private static function match(string $pattern, string $file): string
    {
        preg_match($pattern, (string) @file_get_contents($file), $match);

        return $match[1] ?? 'unknown';
    }

    private static function firstLine(string $command): string
    {
        exec($command, $lines);

        return trim($lines[0] ?? 'unknown');
    }
}
