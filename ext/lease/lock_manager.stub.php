<?php

/**
 * Gives leases on locks over several independent servers; documented in stubs/lock_manager.php.
 *
 * @generate-class-entries
 */

namespace RedLock;

/**
 * @strict-properties
 * @not-serializable
 */
final class LockManager implements LockManagerInterface
{
    public function __construct(
        #[\SensitiveParameter]
        string|array $servers,
        array $options = []
    ) {}

    public function acquire(string|int $resource, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?Lease {}

    public function acquireShared(string|int $resource, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?Lease {}

    public function acquireAll(array $resources, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?Lease {}

    public function acquirePermit(
        string|int $resource,
        int $permits,
        int|\Time\Duration $ttl = 30_000,
        int|\Time\Duration|null $wait = 0,
        array $options = []
    ): ?Lease {}

    public function synchronized(
        string|int|array $resource,
        callable $critical,
        int|\Time\Duration $ttl = 30_000,
        int|\Time\Duration|null $wait = null,
        array $options = []
    ): mixed {}

    public function attach(array $handle, array $options = []): Lease {}

    public function inspect(string|int $resource): array {}

    public function owner(string|int $resource): ?string {}

    public function forceRelease(string|int $resource): bool {}

    public static function cancelWaits(bool $cancel = true): void {}

    public function stats(): array {}

    public function lastErrors(): array {}
}
