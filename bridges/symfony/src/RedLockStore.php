<?php

/** Symfony's locks on a majority of servers: who waits stands in line, and a key is plain data that any process can use. */

declare(strict_types=1);

namespace RedLock\Symfony;

use RedLock\Exception as RedLockException;
use RedLock\LeaseInterface;
use RedLock\LockManager;
use RedLock\LockManagerInterface;
use RedLock\QuorumException;
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

    /** The shortest ttl that leaves validity under any drift. A key's own lifetime may be shorter. */
    private const TTL_MS_MIN = 10;

    /** A hundred years, the longest that there is. */
    private const TTL_MS_MAX = 3_153_600_000_000;

    /** Before servers are asked again whether a key has its lock still: a few round trips, and then more. */
    private const PAUSES_MS = [5, 20];

    /** Of a ttl that is asked for: what counts of the lease afterwards is what the answer gave, so it begins with less. */
    private const PART_BEFORE = 0.9;

    /** Where a key remembers the longest ttl that the servers may have been told since it was shortened last, in seconds. */
    private const TOLD = self::class . '.told';

    /** Where a key has the fence of its lock. */
    private const FENCE = self::class . '.fence';

    /** Where a key says that its lock is for reading. */
    private const SHARED = self::class . '.shared';

    /** For how long a lock is kept at a time while its key waits for the other readers to go: a few round trips at least. */
    private const WAITING_TTL_MAX = 30.0;

    /** @var ?\WeakMap<Key, int> by key: the process that acquired its lock, or used it first; shared by all stores, as keys are */
    private static ?\WeakMap $processes = null;

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
            // False may mean that it was not ours any more, which is as good.
            if (!$this->attach($key, $this->initialTtl)->release() && $this->confirm($key)) {
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
            return $this->confirm($key) && !$key->isExpired();
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
        $options = ['ttl' => self::milliseconds($ttl), 'keepAlive' => $wait !== 0 && !$shared];
        $lease = $this->attach($key, $ttl * self::PART_BEFORE, $options);
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
        $lease = $acquire((string) $key, self::milliseconds($this->initialTtl), $wait, ['fence' => $this->fenced])
            ?? throw new LockConflictedException($this->locks->lastErrors()['lock'] ?? "Another client has the lock on \"$key\".");
        $key->reduceLifetime($lease->remaining() / 1000);
        $key->setState(self::TOLD, $this->initialTtl);
        $this->remember($key, $lease->detach());
        self::processes()[$key] = getmypid();
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
            $this->attach($key, $this->initialTtl)->release();
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
        $lease = $this->attach($key, $this->told($key));
        try {
            if (!$lease->shorten(self::milliseconds($ttl))) {
                return false;
            }
            $key->reduceLifetime($lease->remaining() / 1000);
            $key->setState(self::TOLD, $ttl);
            return true;
        } finally {
            // Whatever came of it, the old one is no lock any more.
            $key->setState(self::class, $lease->detach()['token']);
        }
    }

    /**
     * False also where the key has no lock.
     *
     * @throws LockStorageException where it still has it, and no majority says in time that they keep it for longer
     */
    private function extend(Key $key, float $ttl): bool
    {
        if (!self::has($key)) {
            return false;
        }
        $key->setState(self::TOLD, max($ttl, $this->told($key)));
        if ($this->extendOnce($key, $ttl)) {
            return true;
        }
        // An answer that comes too late is none that says no.
        if (!$this->confirm($key)) {
            return false;
        }
        return $this->extendOnce($key, $ttl) || throw new LockStorageException("The servers were too late to extend the lock on \"$key\".");
    }

    private function extendOnce(Key $key, float $ttl): bool
    {
        return $this->ask($key, $ttl * self::PART_BEFORE, static function (LeaseInterface $lease) use ($key, $ttl): bool {
            if (!$lease->extend(self::milliseconds($ttl))) {
                return false;
            }
            $key->reduceLifetime($lease->remaining() / 1000);
            return true;
        });
    }

    /** Whether this process has a lock by this key, without asking servers. In a child of a fork the key is a copy, and the lock its parent's. */
    private static function has(Key $key): bool
    {
        return $key->hasState(self::class) && getmypid() === (self::processes()[$key] ??= getmypid());
    }

    /** @return \WeakMap<Key, int> */
    private static function processes(): \WeakMap
    {
        return self::$processes ??= new \WeakMap();
    }

    private function isConfirmed(Key $key): bool
    {
        return self::has($key) && $this->confirm($key);
    }

    /** False: so many servers have said so that no majority has it. */
    private function confirm(Key $key): bool
    {
        foreach (self::tries() as $_) {
            // The key's own lifetime says nothing of what the servers have. Null: they were only in trouble.
            $confirmed = $this->ask($key, self::TTL_MS_MAX / 1000, static fn (LeaseInterface $lease): ?bool
                => $lease->confirm() ?: (isset($lease->lastErrors()['lock']) ? false : null));
            if ($confirmed !== null) {
                return $confirmed;
            }
        }
        // It throws, with a reason for each server, unless they have answered by now.
        $this->locks->owner((string) $key);
        throw new QuorumException("No majority of the servers said in time whether the lock on \"$key\" is still ours");
    }

    /** For what servers are asked again where their answers left it open. */
    private static function tries(): \Generator
    {
        yield 1;
        foreach (self::PAUSES_MS as $pause) {
            usleep($pause * 1_000);
            yield 1;
        }
    }

    /** @param callable(LeaseInterface): ?bool $question must not keep the lease, which is there for this question only */
    private function ask(Key $key, float $validity, callable $question): ?bool
    {
        $lease = $this->attach($key, $validity);
        try {
            return $question($lease);
        } finally {
            $lease->detach();
        }
    }

    /**
     * @param float $validity in seconds; only what has validity is asked for, and the servers know how much there is
     * @param array{ttl?: int, keepAlive?: bool} $options
     */
    private function attach(Key $key, float $validity, array $options = []): LeaseInterface
    {
        $handle = [
            'validity' => (float) self::milliseconds($validity),
            'resource' => (string) $key,
            'token' => $key->getState(self::class),
            'shared' => self::isShared($key),
            'fence' => $key->hasState(self::FENCE) ? $key->getState(self::FENCE) : null,
        ];
        return $this->locks->attach($handle, ['atEnd' => 'keep'] + $options);
    }

    private static function milliseconds(float $seconds): int
    {
        return (int) ceil(max(self::TTL_MS_MIN, min($seconds * 1000, self::TTL_MS_MAX)));
    }
}
