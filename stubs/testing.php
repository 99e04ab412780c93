<?php

/**
 * For tests of code that locks: interfaces to type against, and faults of the servers of memory://. For IDEs and static
 * analysers. Never load this file: the extension defines these.
 */

namespace RedLock;

/**
 * What LockManager does, as a type for your code, so that a test can pass a double. Each method is documented at
 * LockManager.
 *
 * @phpstan-import-type LockHandle from LockManager
 * @phpstan-import-type Waiter from LockManager
 * @phpstan-import-type LockOnServer from LockManager
 * @phpstan-import-type LeaseOptions from LockManager
 */
interface LockManagerInterface
{
    /**
     * {@see LockManager::acquire()}
     *
     * @param LeaseOptions $options
     */
    public function acquire(string|int $resource, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?LeaseInterface;

    /**
     * {@see LockManager::acquireShared()}
     *
     * @param LeaseOptions $options
     */
    public function acquireShared(string|int $resource, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?LeaseInterface;

    /**
     * {@see LockManager::acquireAll()}
     *
     * @param array<string|int> $resources
     * @param LeaseOptions $options
     */
    public function acquireAll(array $resources, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?LeaseInterface;

    /**
     * {@see LockManager::acquirePermit()}
     *
     * @param LeaseOptions $options
     */
    public function acquirePermit(
        string|int $resource,
        int $permits,
        int|\Time\Duration $ttl = 30_000,
        int|\Time\Duration|null $wait = 0,
        array $options = []
    ): ?LeaseInterface;

    /**
     * {@see LockManager::synchronized()}
     *
     * @template T
     * @param string|int|array<string|int> $resource
     * @param callable(LeaseInterface): T $critical
     * @param LeaseOptions $options
     * @return T
     */
    public function synchronized(
        string|int|array $resource,
        callable $critical,
        int|\Time\Duration $ttl = 30_000,
        int|\Time\Duration|null $wait = null,
        array $options = []
    ): mixed;

    /**
     * {@see LockManager::attach()}
     *
     * @param array{validity: int|float, resource: string|int|array<string|int>, token: string, fence?: int|null, shared?: bool, ...} $handle
     * @param array{keepAlive?: bool, interrupt?: bool, fence?: bool, atEnd?: 'release'|'keep', ttl?: int|null} $options
     */
    public function attach(array $handle, array $options = []): LeaseInterface;

    /**
     * {@see LockManager::inspect()}
     *
     * @return array{resource: string|int, decided: bool, token: ?string, owner: ?string, ttl: ?float, waiters: ?int, line: list<Waiter>, readers: ?int, servers: array<string, LockOnServer>}
     */
    public function inspect(string|int $resource): array;

    /**
     * {@see LockManager::owner()}
     */
    public function owner(string|int $resource): ?string;

    /**
     * {@see LockManager::forceRelease()}
     */
    public function forceRelease(string|int $resource): bool;

    /**
     * {@see LockManager::stats()}
     *
     * @return array<string, mixed>
     */
    public function stats(): array;

    /**
     * {@see LockManager::lastErrors()}
     *
     * @return array<string, string>
     */
    public function lastErrors(): array;
}

/**
 * What Lease does, as a type for your code. Each method is documented at Lease. The resource and the token are in handle().
 *
 * @phpstan-import-type LockHandle from LockManager
 */
interface LeaseInterface
{
    /**
     * {@see Lease::remaining()}
     */
    public function remaining(): float;

    /**
     * {@see Lease::isLive()}
     */
    public function isLive(): bool;

    /**
     * {@see Lease::assertLive()}
     */
    public function assertLive(): void;

    /**
     * {@see Lease::confirm()}
     */
    public function confirm(): bool;

    /**
     * {@see Lease::extend()}
     */
    public function extend(int|\Time\Duration|null $ttl = null): bool;

    /**
     * {@see Lease::shorten()}
     */
    public function shorten(int|\Time\Duration $ttl): bool;

    /**
     * {@see Lease::promote()}
     */
    public function promote(int|\Time\Duration|null $wait = 0): bool;

    /**
     * {@see Lease::demote()}
     */
    public function demote(): bool;

    /**
     * {@see Lease::release()}
     */
    public function release(): bool;

    /**
     * {@see Lease::lastErrors()}
     *
     * @return array<string, string>
     */
    public function lastErrors(): array;

    /**
     * {@see Lease::handle()}
     *
     * @return LockHandle
     */
    public function handle(): array;

    /**
     * {@see Lease::detach()}
     *
     * @return LockHandle
     */
    public function detach(): array;
}

/**
 * Faults of this process's servers of memory://, for tests. No other server is touched. The end of the request undoes all of
 * it.
 *
 * `$servers` names some of them, as 'memory://a'. Without names a method means all, also those that are first used later.
 * A server that is not of memory:// is a ValueError.
 */
final class Testing
{
    private function __construct()
    {
    }

    /**
     * Sets the servers' clocks ahead, so that locks end earlier. remaining() reads this process's own clock and does not change.
     *
     * @param int $ms 0 to 315360000000 milliseconds (ten years), and no more than that in all
     * @throws \ValueError
     */
    public static function advance(int $ms, string ...$servers): void
    {
    }

    /**
     * Deletes the key of a lock: its lease is lost, and the next client that asks gets it.
     *
     * @param string|int $resource as it was locked: it is the Redis key
     * @throws \ValueError
     */
    public static function takeAway(string|int $resource, string ...$servers): void
    {
    }

    /**
     * The keys on the servers, so that a test can see that no lock was left behind. While clients wait for a lock, their lines
     * are keys too.
     *
     * @return list<string> each once, in the order of their bytes
     * @throws \ValueError
     */
    public static function keys(string ...$servers): array
    {
        return [];
    }

    /**
     * The servers stop answering until restore(): each request takes its timeout. They carry out later what was sent to them.
     *
     * @throws \ValueError
     */
    public static function silence(string ...$servers): void
    {
    }

    /**
     * The servers are down until restore(): connections end, and new ones are refused.
     *
     * @throws \ValueError
     */
    public static function refuse(string ...$servers): void
    {
    }

    /**
     * The servers answer again.
     *
     * @throws \ValueError
     */
    public static function restore(string ...$servers): void
    {
    }

    /**
     * The servers lose all their data, like a server that restarts without a disk. Connections stay.
     *
     * @throws \ValueError
     */
    public static function forget(string ...$servers): void
    {
    }

    /** All servers are empty, answer, and have the right time, as at the beginning of a request. For setUp(). */
    public static function reset(): void
    {
    }
}
