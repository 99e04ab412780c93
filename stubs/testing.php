<?php

/**
 * For tests of code that locks: interfaces to type against, and what can happen to the servers of
 * memory://. For IDEs and static analysers. Never load this file: the extension defines these.
 */

namespace RedLock;

/**
 * What LockManager does, so that code can be typed against it and a test can put a double in its
 * place. Read there what each method does.
 *
 * @phpstan-import-type LockHandle from LockManager
 * @phpstan-import-type InLine from LockManager
 * @phpstan-import-type Standing from LockManager
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
     * {@see LockManager::synchronized()}
     *
     * @template T
     * @param string|int|array<never> $resource
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
     * @param array{validity: int|float, resource: string|int, token: string, ...} $handle
     * @param array{keepAlive?: bool, interrupt?: bool, atEnd?: 'release'|'keep', ttl?: int|null} $options
     */
    public function attach(array $handle, array $options = []): LeaseInterface;

    /**
     * {@see LockManager::inspect()}
     *
     * @return array{resource: string|int, decided: bool, token: ?string, owner: ?string, ttl: ?float, waiters: ?int, line: list<InLine>, servers: array<string, Standing>}
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
 * What a Lease does. Read there what each method does; the resource and the token are in handle().
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
 * What can happen to the servers of memory:// of this process, for tests. It touches no other
 * server, and does nothing to who uses none of these. At the end of the request all is undone.
 *
 * Every `$servers` names some of them, as 'memory://a'; none means all, also those that are first
 * used later. Another server is a ValueError.
 */
final class Testing
{
    private function __construct()
    {
    }

    /**
     * Lets the servers' clocks run ahead: locks end so much earlier. What a lease says of itself
     * without asking, as remaining(), goes by this process's own clock and does not change.
     *
     * @param int $ms 0 to 315360000000 milliseconds (ten years), and no more than that in all
     * @throws \ValueError when a server is not one of memory://, or $ms is out of range
     */
    public static function advance(int $ms, string ...$servers): void
    {
    }

    /**
     * Deletes the lock, as somebody who deletes its key: the lease on it is lost, and the next who
     * asks gets the lock.
     *
     * @param string|int $resource as it was locked: it is the Redis key
     * @throws \ValueError when a server is not one of memory://
     */
    public static function takeAway(string|int $resource, string ...$servers): void
    {
    }

    /**
     * What the servers hold, so that a test can see that no lock was left behind. While somebody waits
     * for one, the lines of those who wait are keys too.
     *
     * @return list<string> each once, in the order of their bytes
     * @throws \ValueError when a server is not one of memory://
     */
    public static function keys(string ...$servers): array
    {
        return [];
    }

    /**
     * From now on the servers answer nothing, until restore(): each request to one takes its
     * timeout. What was sent to them is carried out then.
     *
     * @throws \ValueError when a server is not one of memory://
     */
    public static function silence(string ...$servers): void
    {
    }

    /**
     * From now on the servers are down, until restore(): connections end and new ones are refused.
     *
     * @throws \ValueError when a server is not one of memory://
     */
    public static function refuse(string ...$servers): void
    {
    }

    /**
     * The servers answer again.
     *
     * @throws \ValueError when a server is not one of memory://
     */
    public static function restore(string ...$servers): void
    {
    }

    /**
     * The servers lose everything they have, as one that was started again without a disk. Connections
     * stay.
     *
     * @throws \ValueError when a server is not one of memory://
     */
    public static function forget(string ...$servers): void
    {
    }

    /**
     * All servers are empty, serve, and have the right time, as at the beginning of a request: for
     * setUp().
     */
    public static function reset(): void
    {
    }
}
