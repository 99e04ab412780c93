<?php

/**
 * A lock for as long as this object lives; documented in stubs/lease.php.
 *
 * @generate-class-entries
 */

namespace RedLock;

/**
 * @strict-properties
 * @not-serializable
 */
final class Lease implements LeaseInterface
{
    public readonly string|int|array $resource;
    public readonly string $token;
    public readonly ?int $fence;

    private function __construct() {}

    public function remaining(): float {}

    public function isLive(): bool {}

    public function assertLive(): void {}

    public function confirm(): bool {}

    public function extend(int|\Time\Duration|null $ttl = null): bool {}

    public function shorten(int|\Time\Duration $ttl): bool {}

    public function promote(int|\Time\Duration|null $wait = 0): bool {}

    public function demote(): bool {}

    public function release(): bool {}

    public function lastErrors(): array {}

    public function handle(): array {}

    public function detach(): array {}

    public function __destruct() {}
}
