<?php

/**
 * Time and faults of the servers of memory://; documented in stubs/testing.php.
 *
 * @generate-class-entries
 */

namespace RedLock;

/**
 * @strict-properties
 * @not-serializable
 */
final class Testing
{
    private function __construct() {}

    public static function advance(int $ms, string ...$servers): void {}

    public static function takeAway(string|int $resource, string ...$servers): void {}

    public static function keys(string ...$servers): array {}

    public static function silence(string ...$servers): void {}

    public static function refuse(string ...$servers): void {}

    public static function restore(string ...$servers): void {}

    public static function forget(string ...$servers): void {}

    public static function reset(): void {}
}
