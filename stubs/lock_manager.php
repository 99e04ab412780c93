<?php

/**
 * The class LockManager of the extension redlock, for IDEs and static analysers. Never load this file: the extension defines
 * the class.
 */

namespace RedLock;

/**
 * Gives leases: locks on a majority of independent servers, which are released however your code ends.
 *
 * Times are in milliseconds; only the options timeout and connectTimeout are in seconds. The locks are those of RedLock:
 * both classes exclude each other and accept each other's handles. Objects cannot be cloned or serialized.
 *
 * @phpstan-type LockHandle array{validity: float, resource: string|int|list<string|int>, token: string, fence?: int, shared?: true}
 * @phpstan-type Waiter array{token: string, owner: ?string, waited: float}
 * @phpstan-type LockOnServer array{token: ?string, owner: ?string, ttl: ?float, waiters: ?int, line: list<Waiter>, readers: ?int, error: ?string}
 * @phpstan-type LeaseFacts array{resource: string|list<string>, owner: ?string, waited: ?float, held: ?float, remaining: float, faults: array<string, string>, reason: ?string}
 * @phpstan-type LeaseOptions array{keepAlive?: bool, interrupt?: bool, owner?: string, reentrant?: bool, fence?: bool, atEnd?: 'release'|'keep'}
 */
final class LockManager implements LockManagerInterface
{
    /**
     * Checks the arguments. The first call to a server connects.
     *
     * @param string|array<mixed> $servers 1 to 16 different servers, written as for RedLock
     * @param array{timeout?: int|float|null, connectTimeout?: int|float|null, driftFactor?: int|float, clientName?: string, line?: bool, retryDelay?: int|null, keepAliveMax?: int|null, fenceTtl?: int|null, guard?: bool|list<'restart'|'role'|'eviction'|'identity'>|null, longestTtl?: int|null, replicas?: int|null, onEvent?: null|callable(string, LeaseFacts): mixed} $options
     *     timeout, connectTimeout, driftFactor and clientName as for RedLock, and
     *     - line: waiters stand in line, and each release hands the lock to the first, default true. False: they poll
     *     - retryDelay: the longest pause of a polling waiter between two attempts, in milliseconds, default 200, as for
     *       RedLock
     *     - keepAliveMax: how long a lease is kept alive at most, in milliseconds since it was acquired, default 3600000 (an
     *       hour)
     *     - fenceTtl: how long servers remember the last fence of a lock, in milliseconds since it was acquired, default 86400000
     *       (a day)
     *     - guard: what each server is asked on a new connection, default false; true is all of 'restart', 'role', 'eviction' and
     *       'identity'. A server that restarted less than longestTtl ago, is a replica, may evict locks or is named twice has no
     *       vote (docs/operations.md)
     *     - longestTtl: how long any lock on these servers may live, in milliseconds, default 60000. With the guard 'restart' a
     *       longer ttl is refused
     *     - replicas: how many replicas of a server must have its vote before it counts, 0 to 16, default 0. A vote that too few
     *       have in time is undone. It narrows the window of a fail-over and does not close it (docs/operations.md)
     *     - onEvent: is called with the name of an event (acquired, waited, extended, shortened, promoted,
     *       demoted, released, lost, unreachable)
     *       and the facts of the lease, after the event. docs/leases.md explains each
     * @throws \ValueError
     * @throws \TypeError
     */
    public function __construct(
        #[\SensitiveParameter]
        string|array $servers,
        array $options = []
    ) {
    }

    /**
     * Acquires a lock for as long as the Lease object lives.
     *
     * Waiters stand in line on the servers. If too many servers for a majority refuse that, the call polls, and lastErrors()
     * says "waits by polling: …", also after success. The call ends at most one timeout after the wait, or one connectTimeout
     * if that is longer.
     *
     * @param string|int $resource what to lock. It is the Redis key: at most 65536 bytes of any kind
     * @param int|\Time\Duration $ttl how long the lock lives if no client releases or extends it, in milliseconds
     * @param int|\Time\Duration|null $wait for how many milliseconds to wait while another client has the lock, or the servers
     *     do not answer. 0 tries once and stands in no line, null waits without an end. An exception of a signal handler,
     *     max_execution_time, and trouble that waiting does not help end the wait
     * @param LeaseOptions $options
     *     - keepAlive: a thread extends the lease, for keepAliveMax at most; default false
     *     - interrupt: throw a LeaseLostException in the middle of your code when the lease is lost, default false
     *     - owner: a name of 1 to 256 bytes that owner() and inspect() show to others
     *     - reentrant: a second acquire() through this object gives a second Lease of the same lock, and the last of them
     *       releases it. Both calls need the option and the same owner; default false
     *     - fence: get a number for $lease->fence, default false. It costs no extra round trip, except after a wait
     *     - atEnd: 'keep' leaves the lock to its ttl if the object is alive when the request ends, default 'release'
     * @return ?Lease null: another client has the lock. If lastErrors() has an entry 'lock', that is the reason instead. A
     *     lease that no variable holds is released at once
     * @throws QuorumException
     * @throws DeadlockException this process holds the lock itself, and $wait is null
     * @throws KeepAliveException
     * @throws \ValueError
     * @throws \TypeError
     */
    public function acquire(string|int $resource, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?Lease
    {
    }

    /**
     * Acquires a lock together with all others who only read: while they have it, acquire() gets nothing, and the other way round.
     *
     * Who comes while a writer waits in line waits behind him, so that no writer starves.
     *
     * @param string|int $resource as for acquire()
     * @param int|\Time\Duration $ttl as for acquire(); of this reader alone
     * @param int|\Time\Duration|null $wait as for acquire(), while a writer has the lock or stands in line
     * @param LeaseOptions $options as for acquire(). reentrant counts only what was acquired in the same mode: of a lock that this
     *     object holds exclusively there is no second lease to read, nor the other way round
     * @return ?Lease null: another client has the lock to write, or waits for that
     * @throws QuorumException
     * @throws DeadlockException this process holds the lock exclusively itself, and $wait is null
     * @throws KeepAliveException
     * @throws \ValueError
     * @throws \TypeError
     */
    public function acquireShared(string|int $resource, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?Lease
    {
    }

    /**
     * Acquires 1 to 16 resources at once: all of them, or none.
     *
     * On each server one script takes all of them or none, so their order is of no matter, and two calls that want the same
     * ones never wait for each other. A waiting call stands in the line of one that is busy; when its turn comes it tries all
     * of them at once, and where another one is busy, it passes the lock on and stands in that one's line. It holds none while
     * it waits.
     *
     * @param array<string|int> $resources each at most 65536 bytes, none twice
     * @param int|\Time\Duration $ttl as for acquire()
     * @param int|\Time\Duration|null $wait as for acquire()
     * @param LeaseOptions $options as for acquire(), but for reentrant
     * @return ?Lease one lease of all of them; null: another client has one of them
     * @throws QuorumException
     * @throws DeadlockException this process holds one of them itself, and $wait is null
     * @throws KeepAliveException
     * @throws \ValueError
     * @throws \TypeError
     */
    public function acquireAll(array $resources, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?Lease
    {
    }

    /**
     * Acquires one of up to 1024 permits of a resource: a semaphore.
     *
     * A permit is the lock on one of the resource's slots, so the lease names that: `api:redlock:slot:3` is a permit of `api`.
     * Its number, from 0 to $permits - 1, is no other holder's. Everything else is as with a lock, also its handle.
     *
     * With a wait it stands in one line for all permits, and gets the first that is given back, or whose ttl ends. The order is
     * nearly that in which the waits began.
     *
     * @param string|int $resource at most 65518 bytes
     * @param int $permits how many there are, 1 to 1024. Those who name more know more slots
     * @param int|\Time\Duration $ttl as for acquire()
     * @param int|\Time\Duration|null $wait as for acquire()
     * @param LeaseOptions $options as for acquire(), but for reentrant and fence
     * @return ?Lease null: all permits are held
     * @throws QuorumException
     * @throws KeepAliveException
     * @throws \ValueError
     * @throws \TypeError
     */
    public function acquirePermit(
        string|int $resource,
        int $permits,
        int|\Time\Duration $ttl = 30_000,
        int|\Time\Duration|null $wait = 0,
        array $options = []
    ): ?Lease {
    }

    /**
     * Acquires a lock, calls your function with the lease, and releases the lock afterwards, also when the function throws or
     * keeps the lease.
     *
     * @template T
     * @param string|int|array<string|int> $resource as for acquire(). An array: all of them at once, as for acquireAll()
     * @param callable(Lease): T $critical
     * @param int|\Time\Duration $ttl as for acquire(); with keepAlive at most keepAliveMax
     * @param int|\Time\Duration|null $wait as for acquire(), but null (without an end) by default
     * @param LeaseOptions $options as for acquire(), but keepAlive is true by default
     * @return T what the function returned
     * @throws NotAcquiredException the wait is over or cancelled; the function was not called
     * @throws QuorumException
     * @throws DeadlockException
     * @throws KeepAliveException
     * @throws \ValueError
     * @throws \TypeError
     */
    public function synchronized(
        string|int|array $resource,
        callable $critical,
        int|\Time\Duration $ttl = 30_000,
        int|\Time\Duration|null $wait = null,
        array $options = []
    ): mixed {
    }

    /**
     * Makes a lease of a lock that another process or RedLock acquired. Asks no server.
     *
     * The lease is as valid as the handle says, counted from now. Subtract the time that the handle travelled. If nothing is
     * left, the lease is not live.
     *
     * @param array{validity: int|float, resource: string|int|array<string|int>, token: string, fence?: int|null, shared?: bool, ...} $handle what Lease::handle(), detach() or
     *     RedLock::lock() gave
     * @param array{keepAlive?: bool, interrupt?: bool, fence?: bool, atEnd?: 'release'|'keep', ttl?: int|null} $options as for
     *     acquire(); fence: refuse a handle without one; ttl: for how many milliseconds each extension lasts, default 30000
     * @throws KeepAliveException
     * @throws \ValueError
     * @throws \TypeError
     */
    public function attach(array $handle, array $options = []): Lease
    {
    }

    /**
     * Asks every server who has the lock, and waits for all, at most for their timeouts.
     *
     * @return array{resource: string|int, decided: bool, token: ?string, owner: ?string, ttl: ?float, waiters: ?int, line: list<Waiter>, readers: ?int, servers: array<string, LockOnServer>}
     *     - decided: whether it is known which client has the lock, or that none has. False: no majority could be asked, or the
     *       silent servers and those that hold one token could be a majority
     *     - token: what a majority of all servers holds, or null. 'redlock:shared' while it is shared to read
     *     - owner: the name in the token, if it has one
     *     - ttl: for how many milliseconds a majority will hold it. Null: none holds it, or it never expires and is no lock
     *     - waiters: how many stand in the lines of a majority, at least, or null if unknown. A killed waiter counts until its
     *       turn comes
     *     - line: the first 16 that a majority names, the longest wait first. waited is in milliseconds, by the server's clock
     *     - readers: how many share it to read. Null: it is not shared
     *     - servers: the same by server, or the 'error' why it gave no answer
     * @throws QuorumException only when the process forked during the call
     * @throws \ValueError the resource is too long
     */
    public function inspect(string|int $resource): array
    {
    }

    /**
     * Which owner has the lock. Waits for all servers, at most for connectTimeout and their timeouts.
     *
     * @return ?string the owner's name, or the token if it has no name. Null: no majority of the servers holds the same token
     * @throws QuorumException no majority of the servers can be asked, or a majority may hold the same token because some
     *     gave no answer
     * @throws \ValueError the resource is too long
     */
    public function owner(string|int $resource): ?string
    {
    }

    /**
     * Takes a lock away from its holder, and hands it to the first waiter.
     *
     * It deletes the token that a majority of the servers held a moment before, or may have held if some gave no answer, but no
     * key without an expiry, and nothing that another client acquired meanwhile.
     *
     * @return bool true when no majority has the lock any more. If some servers gave no answer, it may have been free before.
     *     False: no client had the lock
     * @throws QuorumException no majority of the servers can be asked, or none confirms that the lock is gone. A client may
     *     still hold it: call again when more servers answer
     * @throws \ValueError the resource is too long
     */
    public function forceRelease(string|int $resource): bool
    {
    }

    /**
     * Ends the waits of this thread, for a signal handler: those under way, and later ones until the end of the request.
     *
     * If the lock is not free at once, acquire() returns null, synchronized() throws a NotAcquiredException, RedLock::lock()
     * returns false and PidLock::getPidLock() 0, and lastErrors() says "the wait was cancelled".
     *
     * @param bool $cancel false: from now on calls wait again
     */
    public static function cancelWaits(bool $cancel = true): void
    {
    }

    /**
     * What became of the leases of this process, of all its LockManager objects, since it began. A child of a fork counts from 0.
     *
     * @return array{acquired: int, denied: int, timedOut: int, unreachable: int, extended: int, lost: int, released: int, handedOver: int, undone: int, waits: array<int|string, int>, holds: array<int|string, int>, listeners: int, servers: array<string, array{requests: int, errors: array<string, int>, connects: int, roundTripP50: ?float, roundTripP99: ?float, sinceTrouble: ?float}>}
     *     - acquired; denied: refused at once; timedOut: refused after a wait; unreachable: no majority could be asked
     *     - extended: by extend(), not by keepAlive; lost: found lost; released: while live
     *     - handedOver: how many of those acquired came from another client's release
     *     - undone: acquired too late to be of use, or given up by an exception during the call, and released
     *     - waits, holds: how many acquisitions and how many leases lasted up to each bound in milliseconds; each counts once,
     *       under its lowest bound
     *     - listeners: the connections on which this thread now listens for its turn, one to a server
     *     - servers: requests of this thread and of the one that keeps its leases alive, for objects of all classes; errors by
     *       the words of QuorumException::faults(); connects; roundTripP50 and roundTripP99: within how many milliseconds half
     *       and 99 % of the answers came (answers that no call waited for do not count, and of requests that travelled together
     *       one does); sinceTrouble: milliseconds since the latest trouble
     */
    public function stats(): array
    {
    }

    /**
     * As RedLock::lastErrors(), about the latest call on this object or one of its leases that asked servers, also in a
     * handler. Lease::lastErrors() is about one lease alone.
     *
     * @return array<string, string> server => reason
     */
    public function lastErrors(): array
    {
    }
}

/**
 * A wait without an end would wait for a lock that this process holds itself. The message has the resource, and for how
 * long it has been held.
 */
class DeadlockException extends \LogicException implements Exception
{
}
