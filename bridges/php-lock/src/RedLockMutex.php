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
use RedLock\Lease;
use RedLock\LockManager;

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

    private readonly LockManager $locks;
    private readonly string $key;
    private ?Lease $lease = null;
    private float $acquiredAt = 0.0;

    /**
     * @param LockManager|string|array<mixed> $locks a LockManager, or the servers as it takes them
     * @param float $acquireTimeout for how many seconds synchronized() waits for the lock
     * @param float $expireTimeout after how many seconds the lock is free although the code still runs
     */
    public function __construct(
        #[\SensitiveParameter]
        LockManager|string|array $locks,
        string $name,
        private readonly float $acquireTimeout = 3.0,
        private readonly float $expireTimeout = \INF,
    ) {
        // NAN is neither.
        if (!($acquireTimeout >= 0)) {
            throw new \InvalidArgumentException("The acquire timeout must be 0 or more seconds, $acquireTimeout given");
        }
        if (!($expireTimeout > 0)) {
            throw new \InvalidArgumentException("The expire timeout must be more than 0 seconds, $expireTimeout given");
        }
        $this->locks = $locks instanceof LockManager ? $locks : new LockManager($locks, ['keepAliveMax' => self::MS_MAX]);
        $this->key = self::KEY_PREFIX . $name;
    }

    protected function lock(): void
    {
        $wait = self::milliseconds($this->acquireTimeout);
        $ttl = self::milliseconds($this->expireTimeout);
        try {
            $lease = $ttl === null
                ? $this->locks->acquire($this->key, self::TTL_MS_KEPT, $wait, ['keepAlive' => true])
                : $this->locks->acquire($this->key, $ttl, $wait);
        } catch (RedLockException $trouble) {
            throw new LockAcquireException($trouble->getMessage(), MutexException::CODE_REDLOCK_NOT_ENOUGH_SERVERS, $trouble);
        }
        if ($lease === null) {
            throw LockAcquireTimeoutException::create($this->acquireTimeout);
        }
        $this->acquiredAt = hrtime(true) / 1e9;
        $this->lease = $lease;
    }

    protected function unlock(): void
    {
        $lease = $this->lease ?? throw new LockReleaseException('There is no lock to release');
        $this->lease = null;
        $handle = ['validity' => (float) self::TTL_MS_KEPT] + $lease->handle();
        $elapsed = hrtime(true) / 1e9 - $this->acquiredAt;
        $released = $lease->release();
        if ($elapsed >= $this->expireTimeout) {
            throw ExecutionOutsideLockException::create($elapsed, $this->expireTimeout);
        }
        if (!$released) {
            $this->explain($handle);
        }
    }

    /**
     * What became of a lock whose release no majority has confirmed.
     *
     * @param array{validity: float, resource: string|int, token: string} $handle
     */
    private function explain(array $handle): never
    {
        // What is still there when this lease goes is released once more.
        $lease = $this->locks->attach($handle);
        try {
            $held = $lease->confirm();
        } catch (RedLockException $trouble) {
            throw new LockReleaseException('Failed to release the lock: ' . $trouble->getMessage(), 0, $trouble);
        }
        throw $held
            ? new LockReleaseException('Failed to release the lock: it is still ours on a majority of the servers')
            : new ExecutionOutsideLockException('The lock was lost before the code ended: somebody else may have had it meanwhile');
    }

    /** Null: without an end. */
    private static function milliseconds(float $seconds): ?int
    {
        return $seconds * 1000 < self::MS_MAX ? (int) ceil($seconds * 1000) : null;
    }
}
