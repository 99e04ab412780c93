<?php

/**
 * The class Lease of the extension redlock, for IDEs and static analysers. Never load this file: the extension defines the
 * class.
 */

namespace RedLock;

/**
 * A lock that lives as long as this object.
 *
 * The end of its scope, an exception, exit, a fatal error and the end of the request release it, without waiting for an answer.
 * Only what kills the process or the machine leaves the lock to its ttl.
 *
 * In a child of a fork the lock stays the parent's. LockManager makes the objects. They cannot be cloned or serialized; send
 * the handle() instead.
 *
 * @phpstan-type LockHandle array{validity: float, resource: string|int|list<string|int>, token: string, fence?: int, shared?: true}
 */
final class Lease implements LeaseInterface
{
    /**
     * What is locked, as it was passed; a list, if it is several.
     *
     * @var string|int|list<string|int>
     */
    public readonly string|int|array $resource;
    /**
     * What proves that the lock is yours. Any client that knows it can release the lock. Dumps, casts to an array and
     * json_encode() leave it out.
     */
    public readonly string $token;
    /**
     * A number, 1 to 2^53 - 1, strictly larger than that of every earlier holder that asked for one. Send it with each write,
     * and let the database refuse smaller ones. Null without the option fence. promote() makes it a larger one.
     */
    public readonly ?int $fence;

    private function __construct()
    {
    }

    /**
     * For how long you can rely on the lock from now on. Asks no server.
     *
     * @return float milliseconds. 0.0 when the time is over, or the lock is lost or released
     */
    public function remaining(): float
    {
    }

    /** Whether you can rely on the lock now. Asks no server. */
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
     * @return bool true when a majority confirmed it. False and lastErrors()['lock']: so many servers deny it that no majority
     *     has it, and the lease is lost. False without that entry: too few servers answered, or the lease was not live, and no
     *     server was asked
     * @throws QuorumException the lease is as live as before
     */
    public function confirm(): bool
    {
    }

    /**
     * Lets the lock live for ttl milliseconds from now. It never shortens its life.
     *
     * @param int|\Time\Duration|null $ttl null: the ttl that it was acquired with, or shortened to
     * @return bool true when a majority confirmed it. False and lastErrors()['lock']: no majority has it, and the lease is
     *     lost. False without that entry: the lease is as live as before. A lease that is not live asks no server
     * @throws QuorumException the lease is as live as before
     * @throws \ValueError ttl out of range
     */
    public function extend(int|\Time\Duration|null $ttl = null): bool
    {
    }

    /**
     * Lets the lock end ttl milliseconds from now, on the servers too, so that others wait no longer if your process dies.
     *
     * - From the beginning of the call on, the lease is live for ttl at most. With keepAlive it is extended by this ttl.
     * - The lock gets another token, also in all its other Lease objects (option reentrant). Earlier handles become useless.
     * - A ttl that is no shorter than what the servers may know, or what keepAlive extends by, does what extend() does. So does
     *   every ttl after detach() gave a part of the lock away. After attach() the token always changes.
     *
     * @return bool true when a majority confirmed it, or confirmed what a signal handler meanwhile shortened it to. False: the
     *     lease is lost, also when servers refuse the command. A lease that is not live asks no server
     * @throws QuorumException the lease is lost
     * @throws KeepAliveException no thread can keep it alive any more; it is released
     * @throws \ValueError ttl out of range
     */
    public function shorten(int|\Time\Duration $ttl): bool
    {
    }

    /**
     * Makes a lock from acquireShared() an exclusive one, if no other client reads. It is not released in between.
     *
     * - The lock gets another token, also in all its other Lease objects (option reentrant). Earlier handles become useless.
     * - The lease lives for its ttl from now on. keepAlive goes on.
     * - Two clients that both wait to promote wait for each other: give a wait, and let one of them release.
     *
     * @param int|\Time\Duration|null $wait for how many milliseconds to try again while other clients read. 0 tries once, null
     *     waits without an end. What ends a wait of acquire() ends this one
     * @return bool true when it is exclusive. False: other clients read, and it is shared as before; or the lease is lost or over,
     *     and isLive() is false. False and lastErrors()['lock']: no majority has it, and the lease is lost
     * @throws QuorumException it is shared, and as live as before
     * @throws LeaseModeException it is exclusive already, or a part of the lock was passed on by detach() (option reentrant)
     * @throws DeadlockException this process reads by another lease, too, and $wait is null
     * @throws KeepAliveException no thread can keep it alive any more; it is released
     * @throws \ValueError
     */
    public function promote(int|\Time\Duration|null $wait = 0): bool
    {
    }

    /**
     * Makes an exclusive lock a shared one, and lets those in that wait to read, up to the next that waits to write. The token
     * stays the same.
     *
     * @return bool true when a majority confirmed it. False: the lease is lost or over. From the beginning of the call on it
     *     counts as shared, whatever comes of it
     * @throws QuorumException other clients may not be let in; it is as live as before
     * @throws LeaseModeException it is shared already, has several resources, or another Lease object of the lock (option
     *     reentrant) counts on it being exclusive
     */
    public function demote(): bool
    {
    }

    /**
     * Releases the lock, and waits until a majority of the servers has answered. The lease is not live from the beginning of
     * the call on.
     *
     * @return bool true when a majority confirmed that it deleted your key, or other Lease objects of the lock (option
     *     reentrant) still hold it. False and lastErrors()['lock']: no majority had it any more. False without that entry: too
     *     few servers answered, or it was released before
     */
    public function release(): bool
    {
    }

    /**
     * Why servers gave no usable answer in the latest confirm(), extend(), shorten() or release() of this object. Its entry
     * 'lock' says that no majority of the servers has the lock. It is empty when no server was asked, and when a handler ended
     * the call.
     *
     * @return array<string, string> server => reason
     */
    public function lastErrors(): array
    {
    }

    /**
     * The lock as an array, which you can store and send, and which RedLock and attach() accept.
     *
     * @return LockHandle its 'validity' is remaining()
     */
    public function handle(): array
    {
    }

    /**
     * Does what handle() does, and from now on this object neither extends nor releases the lock.
     *
     * @return LockHandle
     */
    public function detach(): array
    {
    }

    /** Releases the lock without waiting for an answer. You need not call it. */
    public function __destruct()
    {
    }
}

/**
 * promote() of a lease that is exclusive, or demote() of one that is shared or cannot be.
 */
class LeaseModeException extends \LogicException implements Exception
{
}
