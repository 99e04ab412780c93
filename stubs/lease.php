<?php

/**
 * The classes LockManager and Lease of the extension redlock, for IDEs and static analysers. Never
 * load this file: the extension defines the classes.
 */

namespace RedLock;

/**
 * A lock for as long as this object lives.
 *
 * It is given back at the end of its scope, by an exception, by exit, by a fatal error and at the
 * end of the request. This sends the release and does not wait for an answer. Only what kills the
 * process or the machine leaves it to its ttl.
 *
 * In a child of a fork the object is dead, because the lock is the parent's: isLive() is false, and
 * nothing is released. Objects are made by LockManager, and cannot be cloned or serialized; what
 * travels is the handle().
 *
 * @phpstan-type LockHandle array{validity: float, resource: string|int, token: string}
 */
final class Lease implements LeaseInterface
{
    /** What is locked, as it was passed. */
    public readonly string|int $resource;
    /**
     * What proves that the lock is yours. Show it to nobody who must not release it. Dumps, casts to
     * an array and json_encode() leave it out; to pass it on there is handle().
     */
    public readonly string $token;

    private function __construct()
    {
    }

    /**
     * For how long you can rely on the lock from now on. Asks no server.
     *
     * @return float milliseconds. 0.0 when it is over, lost or given back
     */
    public function remaining(): float
    {
    }

    /**
     * Can you rely on the lock now? Asks no server.
     */
    public function isLive(): bool
    {
    }

    /**
     * Throws when you cannot rely on the lock any more. Asks no server.
     *
     * @throws LeaseLostException
     */
    public function assertLive(): void
    {
    }

    /**
     * Asks the servers whether a majority still has this lock.
     *
     * @return bool true when a majority confirmed it. False without asking where the lease is not
     *     live. When so many deny it that no majority has it, the lease is lost, and lastErrors() has
     *     an entry 'lock'; without that it is not proven: too few servers answered
     * @throws QuorumException when no majority of the servers can be asked; the lease is as live as
     *     before
     */
    public function confirm(): bool
    {
    }

    /**
     * Lets the lock live for ttl milliseconds from now. It never makes its life shorter.
     *
     * @param int|\Time\Duration|null $ttl null: the one that it was acquired with, or shortened to
     * @return bool true when a majority confirmed it. False without asking where the lease is not
     *     live. When so many deny it that no majority has it, the lease is lost, and
     *     lastErrors()['lock'] says so; otherwise it is as live as before
     * @throws QuorumException when no majority of the servers can be asked; the lease is as live as
     *     before
     * @throws \ValueError when the ttl is too small or too large
     */
    public function extend(int|\Time\Duration|null $ttl = null): bool
    {
    }

    /**
     * Lets the lock end ttl milliseconds from now, on the servers too, where it would live for longer:
     * so that others wait for no longer than that when your process dies. The lock gets another token,
     * also in all other Lease objects of it (option reentrant); handles that were made before are of
     * no use any more. From the beginning of the call on the lease is live for no longer than ttl.
     * With keepAlive it is extended by this ttl from then on. A ttl that is no shorter than what the
     * servers may have been told, also by an extend() whose answers were lost, and than what keepAlive
     * extends it by, does what extend() does; so does any ttl where a part of the lock was passed on by
     * detach(). Of a lease from attach() nobody knows what they were told: it always gets another
     * token.
     *
     * @return bool true when a majority confirmed it, or what a signal handler meanwhile shortened it
     *     to. Otherwise the lease is lost, whatever the reason: servers that refuse the command lose it
     *     too. Then nothing of the lock is to stay on the servers, unless a handler passed it on. False
     *     without asking where the lease is not live
     * @throws QuorumException when no majority of the servers can be asked; the lease is lost
     * @throws KeepAliveException when it cannot be kept alive any more; it is given back
     * @throws \ValueError when the ttl is too small or too large
     */
    public function shorten(int|\Time\Duration $ttl): bool
    {
    }

    /**
     * Gives the lock back, and waits until a majority of the servers has answered. From the
     * beginning of the call on the lease is not live, whatever comes of it.
     *
     * @return bool true when a majority confirmed that it deleted our key, or other Lease objects of
     *     the same lock (option reentrant) still hold it. False: this is not certain, or it was given
     *     back before. Nothing more needs to be done then. When no majority had it any more,
     *     lastErrors() has an entry 'lock'; without that it is not proven: too few servers answered
     */
    public function release(): bool
    {
    }

    /**
     * What there was against the latest confirm(), extend(), shorten() or release() of this object.
     * No other call changes it, whoever makes it meanwhile.
     *
     * When it gave false because no majority of the servers has the lock, the entry 'lock' says so.
     * Without that entry false of confirm() and release() is not proven. Empty where no server was
     * asked, and where a handler ended the call.
     *
     * @return array<string, string> server => reason. Never a password, a user name or a token
     */
    public function lastErrors(): array
    {
    }

    /**
     * The lock as an array, which can be stored and sent, and which RedLock and attach() understand.
     *
     * @return LockHandle its 'validity' is remaining()
     */
    public function handle(): array
    {
    }

    /**
     * The same. From now on this object neither keeps the lock alive nor gives it back; whoever has
     * the handle does.
     *
     * @return LockHandle
     */
    public function detach(): array
    {
    }

    /**
     * Gives the lock back without waiting for an answer. You need not call it.
     */
    public function __destruct()
    {
    }
}

/**
 * Gives leases: locks on a majority of independent servers that are given back whatever happens.
 *
 * All times are in milliseconds, only the options timeout and connectTimeout are in seconds. Its locks are those of the
 * class RedLock: both exclude each other, and each understands the other's handles. Objects cannot
 * be cloned or serialized.
 *
 * @phpstan-type LockHandle array{validity: float, resource: string|int, token: string}
 * @phpstan-type InLine array{token: string, owner: ?string, waited: float}
 * @phpstan-type Standing array{token: ?string, owner: ?string, ttl: ?float, waiters: ?int, line: list<InLine>, error: ?string}
 * @phpstan-type LeaseFacts array{resource: string, owner: ?string, waited: ?float, held: ?float, remaining: float, faults: array<string, string>, reason: ?string}
 * @phpstan-type LeaseOptions array{keepAlive?: bool, interrupt?: bool, owner?: string, reentrant?: bool, atEnd?: 'release'|'keep'}
 */
final class LockManager implements LockManagerInterface
{
    /**
     * Checks the arguments. Connects only at the first call that needs a server.
     *
     * @param string|array<mixed> $servers 1 to 16 different servers, written as for RedLock: a
     *     list of them, or a string with commas between them
     * @param array{timeout?: int|float|null, connectTimeout?: int|float|null, driftFactor?: int|float, clientName?: string, line?: bool, retryDelay?: int|null, keepAliveMax?: int|null, onEvent?: null|callable(string, LeaseFacts): mixed} $options
     *     timeout, connectTimeout, driftFactor and clientName as for RedLock; line: who waits stands in line, where
     *     each release hands the lock to the first, default true. False: it tries again and again, as
     *     it does where the servers do not let it stand in line; retryDelay: the longest pause between
     *     two such attempts in milliseconds, default 200. The real one is random, between half of it
     *     and all of it; keepAliveMax: how long a lease is kept alive at most, counted from when it
     *     was acquired, default 3600000 (an hour); onEvent: is called when something becomes of a
     *     lease, with the name of the event (acquired, waited, extended, shortened, released, lost,
     *     unreachable) and its facts, when the lock is that already. What it throws goes to PHP's log as a
     *     warning, and changes nothing else. docs/leases.md tells of each event
     * @throws \ValueError when a server or an option is not valid; the message says which
     * @throws \TypeError when a value has a wrong type
     */
    public function __construct(
        #[\SensitiveParameter]
        string|array $servers,
        array $options = []
    ) {
    }

    /**
     * Takes a lock for as long as the Lease object lives.
     *
     * Who waits stands in line on the servers, and gets the lock in his turn, from whoever gives it
     * back. Where so many do not allow that (their ACL, a renamed command) that no majority is left, the
     * call tries again and again instead, and lastErrors() says so by "waits by polling: …", also when it got the lock.
     * The call ends within one timeout of the end of the wait, or of a longer connectTimeout.
     *
     * @param string|int $resource what to lock. It is the Redis key: at most 65536 bytes, any bytes
     * @param int|\Time\Duration $ttl how long the lock lives when nobody releases or extends it, as when the
     *     machine loses its power
     * @param int|\Time\Duration|null $wait for how many milliseconds to wait while somebody else has the lock, or the
     *     servers do not answer. 0 tries once and stands in no line, null waits for ever. Exceptions
     *     of signal handlers and max_execution_time end it, and the call leaves the line. What waiting
     *     does not help, such as a wrong password, ends it at once
     * @param LeaseOptions $options keepAlive: a thread extends the lease while it lives, also while
     *     PHP sleeps or waits for a database, at most for keepAliveMax, default false; interrupt:
     *     throw a LeaseLostException in the middle of your code when the lease is lost, default
     *     false; owner: a name of 1 to 256 bytes that owner() and inspect() show to others;
     *     reentrant: acquiring it once more through this object gives a second Lease of the same
     *     lock, and the last of them releases it, default false. Both calls must ask for it, and
     *     with the same owner; atEnd: 'keep' leaves the lock to its ttl when the request ends while
     *     the object is still alive, default 'release'
     * @return ?Lease null: somebody else has the lock, unless lastErrors() has an entry 'lock',
     *     which gives another reason. Without a variable the lease is given back at once
     * @throws QuorumException when no majority of the servers can be asked
     * @throws DeadlockException when this process holds the lock itself, and $wait is null
     * @throws KeepAliveException when there is no thread to be had that could keep it alive
     * @throws \ValueError when an argument or option is not valid; the message says which
     * @throws \TypeError when an option has a wrong type
     */
    public function acquire(string|int $resource, int|\Time\Duration $ttl = 30_000, int|\Time\Duration|null $wait = 0, array $options = []): ?Lease
    {
    }

    /**
     * Takes a lock, calls your function with the lease, and gives the lock back, also when the
     * function throws or keeps the lease.
     *
     * The lease is kept alive, unless the option keepAlive is false.
     *
     * @template T
     * @param string|int|array<never> $resource as for acquire(). Several at once, as an array, are
     *     not supported yet
     * @param callable(Lease): T $critical
     * @param int|\Time\Duration $ttl as for acquire(); keepAlive wants one of at most keepAliveMax
     * @param int|\Time\Duration|null $wait as for acquire(), but null (for ever) by default
     * @param LeaseOptions $options as for acquire(), but keepAlive is true by default
     * @return T what the function returned
     * @throws NotAcquiredException when the wait is over or cancelled; the function was not called
     * @throws QuorumException when no majority of the servers can be asked
     * @throws DeadlockException when this process holds the lock itself, and $wait is null
     * @throws KeepAliveException when there is no thread to be had that could keep it alive
     * @throws \ValueError when an argument or option is not valid; the message says which
     * @throws \TypeError when the resource or an option has a wrong type
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
     * Makes a lease of a lock that was taken elsewhere, by another process or by RedLock.
     *
     * Asks no server. The lease is as valid as the handle says, counted from now: whoever sends
     * handles subtracts the time that they travel. If that is over, the lease is not live.
     *
     * @param array{validity: int|float, resource: string|int, token: string, ...} $handle what
     *     Lease::handle(), Lease::detach() or RedLock::lock() gave
     * @param array{keepAlive?: bool, interrupt?: bool, atEnd?: 'release'|'keep', ttl?: int|null} $options
     *     as for acquire(); ttl: for how long it is extended each time, default 30000
     * @throws KeepAliveException when there is no thread to be had that could keep it alive
     * @throws \ValueError when the handle or an option is not valid; the message says which
     * @throws \TypeError when the handle has a wrong type in it, or an option is of a wrong type
     */
    public function attach(array $handle, array $options = []): Lease
    {
    }

    /**
     * Asks every server who has the lock.
     *
     * Waits for all of them, at most for their timeouts. Servers that give no answer are no
     * exception, they have an 'error'.
     *
     * @return array{resource: string|int, decided: bool, token: ?string, owner: ?string, ttl: ?float, waiters: ?int, line: list<InLine>, servers: array<string, Standing>}
     *     decided: whether it is known who has the lock, or that nobody has. False: no majority could
     *     be asked, or the servers that gave no answer and those that hold the same could be a majority;
     *     token: what a majority of all servers holds; null: no majority holds the same, or could be
     *     asked; owner: the name in the token, where there is one; ttl: for how long a majority will
     *     hold it, in milliseconds; null: no majority holds it, or it never expires and is no lock;
     *     waiters: how many stand in the lines of a majority, at least. It counts who was killed until
     *     it would be his turn; null: not known. line: the first of them, at most 16, whom a majority
     *     names, the longest wait first: token, owner, and waited, in milliseconds, by the server's
     *     clock. servers: the same by server, and 'error', the reason why it gave no answer
     * @throws QuorumException only when the process forked during the call
     * @throws \ValueError when the resource is too long
     */
    public function inspect(string|int $resource): array
    {
    }

    /**
     * Who has the lock. Waits for all servers, at most for connectTimeout and their timeouts.
     *
     * @return ?string the name of the owner, where it was given one; else the token. Null: no
     *     majority of the servers holds the same
     * @throws QuorumException when no majority of the servers can be asked, or a majority may hold the
     *     same because some gave no answer
     * @throws \ValueError when the resource is too long
     */
    public function owner(string|int $resource): ?string
    {
    }

    /**
     * Takes a lock away from whoever has it, for a person who knows that the owner is gone.
     *
     * It deletes what a majority of the servers held a moment before, or may have held where some gave
     * no answer, and never what somebody else took meanwhile, and hands the lock to the first in line.
     * A key without an expiry is no lock, and stays.
     *
     * @return bool true when a majority does not have it any more; where some gave no answer it may have
     *     been nobody's before. False: nobody had the lock
     * @throws QuorumException when no majority of the servers can be asked who has it, or confirms that
     *     it does not have it any more. It may be held still: call it again when more of them answer
     * @throws \ValueError when the resource is too long
     */
    public function forceRelease(string|int $resource): bool
    {
    }

    /**
     * Ends the waits of this thread, for a signal handler: those under way, and until the end of the
     * request those that would begin.
     *
     * acquire() returns null, synchronized() throws a NotAcquiredException, RedLock::lock() returns
     * false and PidLock::getPidLock() 0, where the lock is not free at once. The line is left, and
     * lastErrors() says "the wait was cancelled". What never waits is as before.
     *
     * @param bool $cancel false: from now on calls wait again
     */
    public static function cancelWaits(bool $cancel = true): void
    {
    }

    /**
     * What came of the leases of this process, of all its LockManager objects, since it began. A
     * child of a fork counts from 0.
     *
     * acquired; denied: refused at once; timedOut: refused after a wait; unreachable: no majority
     * could be asked; extended: by extend(), not by keepAlive; lost: found lost; released: given
     * back while live; handedOver: of those acquired, how many were handed over by another's release;
     * undone: won too late to be of use, or given up by an exception while the servers were asked, and
     * given back. listeners: the connections on which this thread listens for its turn now, one to a
     * server. waits and holds: how often it took so long to get a lease, and how long one was held, by
     * upper bounds in milliseconds; each is counted once, under the lowest bound.
     *
     * servers: by server, what this thread and the one that keeps its leases alive asked of it, for
     * objects of all classes: requests; errors, by the words of QuorumException; connects;
     * roundTripP50 and roundTripP99: half of the answers, and 99 of 100, came within so many
     * milliseconds, rounded up to fixed bounds. Answers that nobody waited for are left out, and of
     * requests that travelled together one counts; sinceTrouble: how many milliseconds ago it was in
     * trouble last.
     *
     * @return array{acquired: int, denied: int, timedOut: int, unreachable: int, extended: int, lost: int, released: int, handedOver: int, undone: int, waits: array<int|string, int>, holds: array<int|string, int>, listeners: int, servers: array<string, array{requests: int, errors: array<string, int>, connects: int, roundTripP50: ?float, roundTripP99: ?float, sinceTrouble: ?float}>}
     */
    public function stats(): array
    {
    }

    /**
     * As RedLock::lastErrors(), about the latest call on this object or one of its leases that
     * asked servers. Where handlers of signals or of onEvent use this object too, that may be a call
     * of theirs: Lease::lastErrors() is about that lease alone.
     *
     * @return array<string, string> server => reason. Never a password, a user name or a token
     */
    public function lastErrors(): array
    {
    }
}

/**
 * A wait without an end was to begin for a lock that this process holds itself. The message tells the
 * resource, and for how long it has been held.
 */
class DeadlockException extends \LogicException implements Exception
{
}
