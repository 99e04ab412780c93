<?php

/** A mutex of php-lock on a majority of servers: who waits stands in line, and what is released is confirmed. */

declare(strict_types=1);

namespace RedLock\PhpLock;

use Malkusch\Lock\Exception\ExecutionOutsideLockException;
use Malkusch\Lock\Exception\LockAcquireException;
use Malkusch\Lock\Exception\LockAcquireTimeoutException;
use Malkusch\Lock\Exception\LockReleaseException;
use Malkusch\Lock\Exception\MutexException;
use Malkusch\Lock\Mutex\AbstractLockMutex;
use RedLock\Exception as RedLockException;
use RedLock\LockManager;
use RedLock\LockManagerInterface;
use RedLock\QuorumException;

/**
 * With an expire timeout the lock ends after it, and code that takes longer is told so by an
 * ExecutionOutsideLockException. Without one it is kept alive while the code runs, and is free 30 seconds after a crash.
 */
final class RedLockMutex extends AbstractLockMutex
{
    /** As php-lock's RedisMutex names its keys: the two exclude each other. */
    private const KEY_PREFIX = 'php-malkusch-lock:';

    /** Of a lock that is kept alive. */
    private const TTL_MS_KEPT = 30_000;

    /** A hundred years. No longer wait, ttl or keepAliveMax is to be had. */
    private const MS_MAX = 3_153_600_000_000;

    /** The shortest ttl that leaves validity under any drift. */
    private const TTL_MS_MIN = 10;

    private const KEY_BYTES_MAX = 65_536;

    private readonly LockManagerInterface $locks;
    private readonly string $key;

    /** @var \WeakMap<object, list<Held>> by fiber, outside of fibers by the mutex: the locks under which each runs, the innermost last */
    private \WeakMap $held;

    /**
     * @param LockManagerInterface|string|array<mixed> $locks a LockManager, or the servers as it takes them
     * @param float $acquireTimeout for how many seconds synchronized() waits for the lock
     * @param float $expireTimeout after how many seconds the lock is free although the code still runs
     * @param bool $fenced whether the lock comes with a fence
     */
    public function __construct(
        #[\SensitiveParameter]
        LockManagerInterface|string|array $locks,
        string $name,
        private readonly float $acquireTimeout = 3.0,
        private readonly float $expireTimeout = \INF,
        private readonly bool $fenced = false,
    ) {
        // NAN is neither.
        if (!($acquireTimeout >= 0)) {
            throw new \InvalidArgumentException("The acquire timeout must be 0 or more seconds, $acquireTimeout given");
        }
        if (!($expireTimeout * 1000 >= self::TTL_MS_MIN)) {
            throw new \InvalidArgumentException("The expire timeout must be at least 0.01 seconds, $expireTimeout given");
        }
        $bytes = self::KEY_BYTES_MAX - strlen(self::KEY_PREFIX);
        if (strlen($name) > $bytes) {
            throw new \InvalidArgumentException(sprintf('The name must have at most %d bytes, %d given', $bytes, strlen($name)));
        }
        $this->locks = $locks instanceof LockManagerInterface ? $locks : new LockManager($locks, ['keepAliveMax' => self::MS_MAX]);
        $this->key = self::KEY_PREFIX . $name;
        $this->held = new \WeakMap();
    }

    /** What runs under the one does not run under the other. */
    public function __clone()
    {
        $this->held = new \WeakMap();
    }

    /**
     * For the code that runs in synchronized(): a number that is larger than that of every earlier holder of the lock that has one. Send it
     * with each write, and let the database refuse smaller ones. Null outside, and where the mutex takes its lock without a fence.
     */
    public function fence(): ?int
    {
        $stack = $this->held[$this->runner()] ?? [];
        $held = end($stack);
        return $held instanceof Held && $held->isOurs() ? $held->lease->handle()['fence'] ?? null : null;
    }

    protected function lock(): void
    {
        $wait = self::milliseconds($this->acquireTimeout);
        $ttl = self::milliseconds($this->expireTimeout);
        try {
            $lease = $ttl === null
                ? $this->locks->acquire($this->key, self::TTL_MS_KEPT, $wait, ['keepAlive' => true, 'fence' => $this->fenced])
                : $this->locks->acquire($this->key, $ttl, $wait, ['fence' => $this->fenced]);
        } catch (QuorumException $trouble) {
            throw new LockAcquireException($trouble->getMessage(), MutexException::CODE_REDLOCK_NOT_ENOUGH_SERVERS, $trouble);
        } catch (RedLockException | \ValueError $trouble) {
            // There is no thread to be had that keeps it alive, or the LockManager allows no such ttl.
            throw new LockAcquireException($trouble->getMessage(), 0, $trouble);
        }
        if ($lease === null) {
            $reason = $this->locks->lastErrors()['lock'] ?? null;
            throw $reason === null ? LockAcquireTimeoutException::create($this->acquireTimeout) : new LockAcquireTimeoutException($reason);
        }
        $this->held[$this->runner()] = [...$this->held[$this->runner()] ?? [], new Held($lease)];
    }

    protected function unlock(): void
    {
        $stack = $this->held[$this->runner()] ?? [];
        $held = array_pop($stack) ?? throw new LockReleaseException('There is no lock to release');
        $this->held[$this->runner()] = $stack;
        if (!$held->isOurs()) {
            throw new LockReleaseException('The lock belongs to the parent of this process');
        }
        $token = $held->lease->handle()['token'];
        $elapsed = $held->elapsed();
        $live = $held->lease->isLive();
        $released = $held->lease->release();
        if ($elapsed >= $this->expireTimeout) {
            throw ExecutionOutsideLockException::create($elapsed, $this->expireTimeout);
        }
        if (!$released) {
            $troubles = $held->lease->lastErrors();
            if (isset($troubles['lock'])) {
                throw self::lost();
            }
            $this->explain($token, $live ? $troubles : []);
        }
    }

    /**
     * What became of a lock whose release no majority has confirmed.
     *
     * @param array<string, string> $troubles of the servers that did not say whether they had it still
     */
    private function explain(string $token, array $troubles): never
    {
        $standing = null;
        $trouble = null;
        try {
            // Throws where no majority can be asked.
            $this->locks->owner($this->key);
            $standing = $this->locks->inspect($this->key)['token'];
        } catch (RedLockException $trouble) {
        }
        if ($standing === $token) {
            // The end of this lease releases it once more.
            $this->locks->attach(['validity' => (float) self::TTL_MS_KEPT, 'resource' => $this->key, 'token' => $token]);
            throw new LockReleaseException('Failed to release the lock: it is still ours on a majority of the servers');
        }
        // Where a server did not answer in time, its answer may have been that the lock was still ours, and is released.
        if ($standing !== null || $troubles === []) {
            throw self::lost();
        }
        $reasons = implode('; ', array_map(static fn (string $server, string $reason): string => "$server: $reason", array_keys($troubles), $troubles));
        throw new LockReleaseException("Failed to release the lock: no majority of the servers confirmed it: $reasons", 0, $trouble);
    }

    private static function lost(): ExecutionOutsideLockException
    {
        return new ExecutionOutsideLockException('The lock was lost before the code ended: another client may have had it meanwhile');
    }

    /** Who runs. Each fiber has locks of its own. */
    private function runner(): object
    {
        return \Fiber::getCurrent() ?? $this;
    }

    /** Null: without an end. */
    private static function milliseconds(float $seconds): ?int
    {
        return $seconds * 1000 < self::MS_MAX ? (int) ceil($seconds * 1000) : null;
    }
}
