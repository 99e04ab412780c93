<?php

/**
 * What code that locks can be typed against, and doubled by in tests; documented in stubs/testing.php.
 *
 * @generate-class-entries
 */

namespace RedLock;

interface LockManagerInterface
{
    public function acquire(string|int $resource, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?LeaseInterface;

    public function acquireShared(string|int $resource, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?LeaseInterface;

    public function acquireAll(array $resources, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?LeaseInterface;

    public function acquirePermit(
        string|int $resource,
        int $permits,
        int|\Time\Duration $ttl = 30_000,
        int|\Time\Duration|null $wait = 0,
        array $options = []
    ): ?LeaseInterface;

    public function synchronized(
        string|int|array $resource,
        callable $critical,
        int|\Time\Duration $ttl = 30_000,
        int|\Time\Duration|null $wait = null,
        array $options = []
    ): mixed;

    public function attach(array $handle, array $options = []): LeaseInterface;

    public function inspect(string|int $resource): array;

    public function owner(string|int $resource): ?string;

    public function forceRelease(string|int $resource): bool;

    public function stats(): array;

    public function lastErrors(): array;
}

interface LeaseInterface
{
    public function remaining(): float;

    public function isLive(): bool;

    public function assertLive(): void;

    public function confirm(): bool;

    public function extend(int|\Time\Duration|null $ttl = null): bool;

    public function shorten(int|\Time\Duration $ttl): bool;

    public function promote(int|\Time\Duration|null $wait = 0): bool;

    public function demote(): bool;

    public function release(): bool;

    public function lastErrors(): array;

    public function handle(): array;

    public function detach(): array;
}
