<?php

/** Symfony's locks on a majority of servers: who waits stands in line, and a key is plain data that any process can use. */

declare(strict_types=1);

namespace RedLock\Symfony;

use RedLock\Exception as RedLockException;
use RedLock\LockManager;
use RedLock\LockManagerInterface;
use Symfony\Component\Lock\BlockingSharedLockStoreInterface;
use Symfony\Component\Lock\BlockingStoreInterface;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockReleasingException;
use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Store\ExpiringStoreTrait;

/**
 * A key's state is the token of its lock, its fence if there is one, and for how long the servers were told to keep it. No Lease outlives
 * a call, so nothing is released when an object goes: that is for Symfony's Lock to decide. A child of a fork has none of its parent's locks. What no majority of
 * the servers can be asked for, or says, is an exception, never an answer.
 *
 * A lock for reading that is saved again for writing is promoted, and the other way round demoted: it is not released in between. Where
 * others read too, the promotion is a conflict, and the key goes on reading.
 */
final class RedLockStore implements BlockingStoreInterface, BlockingSharedLockStoreInterface
{
    use ExpiringStoreTrait;

    /** Where a key remembers the longest ttl that the servers may have been told since it was shortened last, in seconds. */
    private const TOLD = self::class . '.told';

    /** Where a key has the fence of its lock. */
    private const FENCE = self::class . '.fence';

    /** Where a key says that its lock is for reading. */
    private const SHARED = self::class . '.shared';

    /** For how long a lock is kept at a time while its key waits for the other readers to go: a few round trips at least. */
    private const WAITING_TTL_MAX = 30.0;

    private readonly LockManagerInterface $locks;

    /**
     * @param LockManagerInterface|string|array<mixed> $locks a LockManager, or the servers as it takes them
     * @param float $initialTtl for how many seconds a lock is taken, before Symfony says how long it is to live
     * @param bool $fenced whether locks come with fences
     */
    public function __construct(
        #[\SensitiveParameter]
        LockManagerInterface|string|array $locks,
        private readonly float $initialTtl = 300.0,
        private readonly bool $fenced = false,
    ) {
        if (!is_finite($initialTtl) || $initialTtl <= 0) {
            throw new InvalidTtlException(sprintf('"%s()" expects a strictly positive TTL. Got %s.', __METHOD__, $initialTtl));
        }
        $this->locks = $locks instanceof LockManagerInterface ? $locks : new LockManager($locks);
    }

    /**
     * A number that is larger than that of every earlier holder of the lock that has one: send it with each write, and let the
     * database refuse smaller ones. Null where the key has no lock, or its store takes none with fences.
     */
    public static function fence(Key $key): ?int
    {
        return self::has($key) && $key->hasState(self::FENCE) ? $key->getState(self::FENCE) : null;
    }

    public function save(Key $key): void
    {
        $key->reduceLifetime($this->initialTtl);
        $this->take($key, false, 0);
    }

    public function saveRead(Key $key): void
    {
        $key->reduceLifetime($this->initialTtl);
        $this->take($key, true, 0);
    }

    /**
     * Waits for as long as it takes. SIGTERM, SIGINT and SIGQUIT end it where the process has handlers for them, and the exceptions of all
     * handlers, max_execution_time, and what waiting does not help, such as a wrong password.
     */
    public function waitAndSave(Key $key): void
    {
        EndingSignals::during(fn () => $this->take($key, false, null));
    }

    /** The same for reading: behind those who waited before to write. */
    public function waitAndSaveRead(Key $key): void
    {
        EndingSignals::during(fn () => $this->take($key, true, null));
    }

    /**
     * A ttl that is shorter than what the servers were told last shortens it there too: the key gets another token, and
     * has no lock any more where no majority confirms that.
     */
    public function putOffExpiration(Key $key, float $ttl): void
    {
        $key->reduceLifetime($ttl);
        try {
            // What is too short for servers is only the key's own affair: they keep it for as short as they can.
            $put = $ttl < $this->told($key) ? $this->shorten($key, $ttl) : $this->extend($key, $ttl);
        } catch (RedLockException $trouble) {
            throw new LockStorageException($trouble->getMessage(), 0, $trouble);
        }
        if (!$put) {
            throw new LockConflictedException("The lock on \"$key\" is no longer ours.");
        }
        $this->checkNotExpired($key);
    }

    public function delete(Key $key): void
    {
        if (!$key->hasState(self::class)) {
            return;
        }
        if (!self::has($key)) {
            throw new LockReleasingException("The lock on \"$key\" belongs to the parent of this process.");
        }
        try {
            if (!$this->held($key)->release()) {
                throw new LockReleasingException("The lock on \"$key\" is still ours on a majority of the servers.");
            }
        } catch (RedLockException $trouble) {
            throw new LockReleasingException($trouble->getMessage(), 0, $trouble);
        }
        $this->clear($key);
    }

    /** Whether a majority of the servers holds it for this key, whose own lifetime is not over. */
    public function exists(Key $key): bool
    {
        if (!self::has($key) || $key->isExpired()) {
            return false;
        }
        try {
            return $this->held($key)->confirm() && !$key->isExpired();
        } catch (RedLockException $trouble) {
            throw new LockStorageException($trouble->getMessage(), 0, $trouble);
        }
    }

    private function take(Key $key, bool $shared, ?int $wait): void
    {
        try {
            // Saved twice, it is still one lock; and for a longer ttl than before it would have to be shortened again.
            // Of a lock that may be lost, what is left must run out: prolonged by each try, it would be in the way of all of them.
            if (!$this->isConfirmed($key) || !$this->change($key, $shared, $wait) || !$this->extend($key, $this->told($key))) {
                $this->forget($key);
                $this->acquire($key, $shared, $wait);
            }
        } catch (RedLockException | \ValueError $trouble) {
            // A name that is too long is an error of PHP's, which Symfony does not expect.
            throw new LockAcquiringException($trouble->getMessage(), 0, $trouble);
        }
        $this->checkNotExpired($key);
    }

    /** Makes a lock for reading one for writing, or the other way round, where it is not what it is to be. False: it is lost. */
    private function change(Key $key, bool $shared, ?int $wait): bool
    {
        if (self::isShared($key) === $shared) {
            return true;
        }
        $ttl = min($this->told($key), self::WAITING_TTL_MAX);
        $options = ['ttl' => HeldLock::milliseconds($ttl), 'keepAlive' => $wait !== 0 && !$shared];
        $lease = $this->held($key)->attach($ttl * HeldLock::PART_BEFORE, $options);
        try {
            if ($shared ? $lease->demote() : $lease->promote($wait)) {
                return true;
            }
            if (!$lease->isLive()) {
                return false;
            }
            throw new LockConflictedException($this->locks->lastErrors()['lock'] ?? "Other clients read under the lock on \"$key\".");
        } finally {
            // A promotion gives it another token, and another fence.
            $this->remember($key, $lease->detach());
        }
    }

    private function acquire(Key $key, bool $shared, ?int $wait): void
    {
        $acquire = $shared ? $this->locks->acquireShared(...) : $this->locks->acquire(...);
        $lease = $acquire((string) $key, HeldLock::milliseconds($this->initialTtl), $wait, ['fence' => $this->fenced])
            ?? throw new LockConflictedException($this->locks->lastErrors()['lock'] ?? "Another client has the lock on \"$key\".");
        $key->reduceLifetime($lease->remaining() / 1000);
        $key->setState(self::TOLD, $this->initialTtl);
        $this->remember($key, $lease->detach());
        OwnKeys::add($key);
    }

    /** @param array{token: string, fence?: int, shared?: bool} $handle */
    private function remember(Key $key, array $handle): void
    {
        $key->setState(self::class, $handle['token']);
        $key->removeState(self::SHARED);
        foreach ([self::SHARED => 'shared', self::FENCE => 'fence'] as $state => $name) {
            if (isset($handle[$name])) {
                $key->setState($state, $handle[$name]);
            }
        }
    }

    /** What nobody confirmed in time may still stand on the servers, and would keep its own key waiting. */
    private function forget(Key $key): void
    {
        if (self::has($key)) {
            $this->held($key)->attach($this->initialTtl)->release();
            $this->clear($key);
        }
    }

    private function clear(Key $key): void
    {
        $key->removeState(self::class);
        $key->removeState(self::TOLD);
        $key->removeState(self::FENCE);
        $key->removeState(self::SHARED);
    }

    private static function isShared(Key $key): bool
    {
        return $key->hasState(self::SHARED);
    }

    private function told(Key $key): float
    {
        return $key->hasState(self::TOLD) ? $key->getState(self::TOLD) : $this->initialTtl;
    }

    /** False also where the key has no lock. */
    private function shorten(Key $key, float $ttl): bool
    {
        if (!self::has($key)) {
            return false;
        }
        $token = $key->getState(self::class);
        try {
            $remaining = $this->held($key)->shorten($ttl, $this->told($key), $token);
        } finally {
            // Whatever came of it, the old one is no lock any more.
            $key->setState(self::class, $token);
        }
        if ($remaining === null) {
            return false;
        }
        $key->reduceLifetime($remaining);
        $key->setState(self::TOLD, $ttl);
        return true;
    }

    /** False also where the key has no lock. */
    private function extend(Key $key, float $ttl): bool
    {
        if (!self::has($key)) {
            return false;
        }
        $key->setState(self::TOLD, max($ttl, $this->told($key)));
        $remaining = $this->held($key)->extend($ttl);
        if ($remaining === null) {
            return false;
        }
        $key->reduceLifetime($remaining);
        return true;
    }

    /** Whether this process has a lock by this key, without asking servers. In a child of a fork the key is a copy, and the lock its parent's. */
    private static function has(Key $key): bool
    {
        return $key->hasState(self::class) && OwnKeys::has($key);
    }

    private function isConfirmed(Key $key): bool
    {
        return self::has($key) && $this->held($key)->confirm();
    }

    private function held(Key $key): HeldLock
    {
        return new HeldLock($this->locks, [
            'resource' => (string) $key,
            'token' => $key->getState(self::class),
            'shared' => self::isShared($key),
            'fence' => $key->hasState(self::FENCE) ? $key->getState(self::FENCE) : null,
        ]);
    }
}
