<?php

/** Symfony's semaphores on a majority of servers: each unit of a key's weight is a permit, and all of them are had, or none. */

declare(strict_types=1);

namespace RedLock\Symfony;

use RedLock\Exception as RedLockException;
use RedLock\LeaseInterface;
use RedLock\LockManager;
use RedLock\LockManagerInterface;
use Symfony\Component\Semaphore\Exception\InvalidArgumentException;
use Symfony\Component\Semaphore\Exception\RuntimeException;
use Symfony\Component\Semaphore\Exception\SemaphoreAcquiringException;
use Symfony\Component\Semaphore\Exception\SemaphoreExpiredException;
use Symfony\Component\Semaphore\Exception\SemaphoreReleasingException;
use Symfony\Component\Semaphore\Key;
use Symfony\Component\Semaphore\PersistingStoreInterface;

/**
 * A key's state is the token of each of its permits, by slot, and for how long the servers were told to keep them. No Lease outlives
 * a call, so nothing is released when an object goes: that is for Symfony's Semaphore to decide. A child of a fork has none of its parent's
 * permits.
 *
 * What no majority of the servers can be asked for, or says, is no SemaphoreAcquiringException, which Semaphore takes for "all are held".
 * It leaves save() and putOffExpiration() as redlock's exception: Semaphore makes it the previous one of Symfony's.
 */
final class RedLockSemaphoreStore implements PersistingStoreInterface
{
    /** Where a key remembers the longest ttl that the servers may have been told since it was shortened last, in seconds. */
    private const TOLD = self::class . '.told';

    private readonly LockManagerInterface $locks;

    /** @param LockManagerInterface|string|array<mixed> $locks a LockManager, or the servers as it takes them */
    public function __construct(
        #[\SensitiveParameter]
        LockManagerInterface|string|array $locks,
    ) {
        $this->locks = $locks instanceof LockManagerInterface ? $locks : new LockManager($locks);
    }

    /** Saved twice, it has its permits once, for as long as is said now. */
    public function save(Key $key, float $ttlInSecond): void
    {
        self::checkTtl($ttlInSecond);
        $key->reduceLifetime($ttlInSecond);
        // Of permits that may be lost, what is left must run out: prolonged by each try, it would be in the way of all of them.
        if (!$this->isConfirmed($key) || !$this->put($key, $ttlInSecond)) {
            $this->forget($key);
            $this->acquire($key, $ttlInSecond);
        }
        if ($key->isExpired()) {
            $this->forget($key);
            throw new SemaphoreAcquiringException($key, 'it took longer than its ttl');
        }
    }

    /**
     * A ttl that is shorter than what the servers were told last shortens it there too: the permits get other tokens, and
     * are lost where no majority confirms that.
     */
    public function putOffExpiration(Key $key, float $ttlInSecond): void
    {
        self::checkTtl($ttlInSecond);
        $key->reduceLifetime($ttlInSecond);
        if (!$this->put($key, $ttlInSecond) || $key->isExpired()) {
            // Semaphore does not release what has expired, and what is left of it is of no use to anybody.
            $this->forget($key);
            throw new SemaphoreExpiredException($key, 'it is no longer ours');
        }
    }

    public function delete(Key $key): void
    {
        if ($key->hasState(self::class) && !OwnKeys::has($key)) {
            throw new SemaphoreReleasingException($key, 'it belongs to the parent of this process');
        }
        $trouble = null;
        foreach (self::permits($key) as $slot => $token) {
            try {
                if (!$this->permit($slot, $token)->release()) {
                    $trouble ??= 'it is still ours on a majority of the servers';
                }
            } catch (RedLockException $error) {
                $trouble ??= $error->getMessage();
            }
        }
        if ($trouble !== null) {
            throw new SemaphoreReleasingException($key, $trouble);
        }
        self::clear($key);
    }

    /** Whether a majority of the servers holds each permit for this key, whose own lifetime is not over. */
    public function exists(Key $key): bool
    {
        try {
            return !$key->isExpired() && $this->isConfirmed($key) && !$key->isExpired();
        } catch (RedLockException $trouble) {
            throw new RuntimeException($trouble->getMessage(), 0, $trouble);
        }
    }

    private function acquire(Key $key, float $ttl): void
    {
        try {
            $permits = $this->take($key, HeldLock::milliseconds($ttl));
        } catch (\ValueError $error) {
            // A name that is too long, and a limit that is too large, are errors of PHP's, which Symfony does not expect.
            throw new InvalidArgumentException($error->getMessage(), 0, $error);
        }
        $tokens = [];
        foreach ($permits as $permit) {
            $key->reduceLifetime($permit->remaining() / 1000);
            ['resource' => $slot, 'token' => $tokens[$slot]] = $permit->detach();
        }
        $key->setState(self::class, $tokens);
        $key->setState(self::TOLD, $ttl);
        OwnKeys::add($key);
    }

    /**
     * They are taken one by one. Where one cannot be had, or something is thrown, those from before go with their objects.
     *
     * @return list<LeaseInterface>
     */
    private function take(Key $key, int $ttl): array
    {
        $permits = [];
        while (count($permits) < $key->getWeight()) {
            $permits[] = $this->locks->acquirePermit((string) $key, $key->getLimit(), $ttl)
                ?? throw new SemaphoreAcquiringException($key, $permits === [] ? 'all permits are held' : 'fewer permits are free than its weight');
        }
        return $permits;
    }

    /** Prolongs or shortens all of its permits. False: one of them is lost, or it has none. */
    private function put(Key $key, float $ttl): bool
    {
        if (!self::has($key)) {
            return false;
        }
        $told = $key->getState(self::TOLD);
        $key->setState(self::TOLD, max($ttl, $told));
        foreach (self::permits($key) as $slot => $token) {
            $remaining = $ttl < $told ? $this->shorten($key, $slot, $ttl, $told) : $this->permit($slot, $token)->extend($ttl);
            if ($remaining === null) {
                return false;
            }
            $key->reduceLifetime($remaining);
        }
        $key->setState(self::TOLD, $ttl);
        return true;
    }

    private function shorten(Key $key, string $slot, float $ttl, float $told): ?float
    {
        $token = self::permits($key)[$slot];
        try {
            return $this->permit($slot, $token)->shorten($ttl, $told, $token);
        } finally {
            // Whatever came of it, the old one is no permit any more.
            $key->setState(self::class, [$slot => $token] + self::permits($key));
        }
    }

    private function isConfirmed(Key $key): bool
    {
        if (!self::has($key)) {
            return false;
        }
        foreach (self::permits($key) as $slot => $token) {
            if (!$this->permit($slot, $token)->confirm()) {
                return false;
            }
        }
        return true;
    }

    /** What nobody confirmed in time may still stand on the servers, and would be in the way of its own key. */
    private function forget(Key $key): void
    {
        if (self::has($key)) {
            foreach (self::permits($key) as $slot => $token) {
                $this->permit($slot, $token)->attach($key->getState(self::TOLD))->release();
            }
            self::clear($key);
        }
    }

    private function permit(string $slot, string $token): HeldLock
    {
        return new HeldLock($this->locks, ['resource' => $slot, 'token' => $token]);
    }

    /** Whether this process has permits by this key, without asking servers. */
    private static function has(Key $key): bool
    {
        return $key->hasState(self::class) && OwnKeys::has($key);
    }

    /** @return array<string, string> the tokens by slot */
    private static function permits(Key $key): array
    {
        return $key->hasState(self::class) ? $key->getState(self::class) : [];
    }

    private static function clear(Key $key): void
    {
        $key->removeState(self::class);
        $key->removeState(self::TOLD);
    }

    private static function checkTtl(float $ttl): void
    {
        if (!is_finite($ttl) || $ttl <= 0) {
            throw new InvalidArgumentException("The TTL should be greater than 0, \"$ttl\" given.");
        }
    }
}
