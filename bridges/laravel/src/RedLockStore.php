<?php

/** A cache store whose locks are held on a majority of servers; its values, where it has any, are in another store. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Contracts\Cache\LockProvider;
use Illuminate\Contracts\Cache\Store;
use RedLock\LeaseInterface;
use RedLock\LockManagerInterface;

/** Laravel's contract has no types. */
final class RedLockStore implements LockProvider, Store
{
    /**
     * @param LockManagerInterface $locks its keepAliveMax must be no less than $forever
     * @param int $forever for how many seconds a lock without an expiry outlives its process
     * @param bool $fenced whether locks come with fences
     */
    public function __construct(
        private readonly LockManagerInterface $locks,
        private readonly string $prefix = '',
        private readonly ?Store $values = null,
        private readonly int $forever = 86_400,
        private readonly bool $fenced = false,
    ) {
    }

    /** @return QuorumLock */
    public function lock($name, $seconds = 0, $owner = null)
    {
        $owner = $owner === null ? null : (string) $owner;
        return new QuorumLock($this->locks, $this->prefix . $name, $seconds, $owner, $this->forever, $this->fenced);
    }

    /** @return QuorumLock */
    public function restoreLock($name, $owner)
    {
        return $this->lock($name, 0, $owner);
    }

    /**
     * One of so many permits: a place in a funnel.
     *
     * @internal
     * @param int|float|numeric-string $seconds 0 or less: it is kept alive while its lease lives
     * @param int|float|numeric-string $wait seconds
     */
    public function permit(string $name, int $permits, int|float|string $seconds, int|float|string $wait): ?LeaseInterface
    {
        $seconds = QuorumLock::number($seconds);
        $ttl = QuorumLock::milliseconds($seconds > 0 ? $seconds : $this->forever);
        $wait = QuorumLock::milliseconds(QuorumLock::number($wait));
        return $this->locks->acquirePermit($this->prefix . $name, $permits, $ttl, $wait, ['keepAlive' => $seconds <= 0]);
    }

    public function get($key)
    {
        return $this->values()->get($key);
    }

    public function many(array $keys)
    {
        return $this->values()->many($keys);
    }

    public function put($key, $value, $seconds)
    {
        return $this->values()->put($key, $value, $seconds);
    }

    public function putMany(array $values, $seconds)
    {
        return $this->values()->putMany($values, $seconds);
    }

    /** Not in the contract, but asked for where it is there. */
    public function add($key, $value, $seconds)
    {
        $values = $this->values();
        if (method_exists($values, 'add')) {
            return $values->add($key, $value, $seconds);
        }
        return $values->get($key) === null && $values->put($key, $value, $seconds);
    }

    public function increment($key, $value = 1)
    {
        return $this->values()->increment($key, $value);
    }

    public function decrement($key, $value = 1)
    {
        return $this->values()->decrement($key, $value);
    }

    public function forever($key, $value)
    {
        return $this->values()->forever($key, $value);
    }

    /** Since Laravel 13. */
    public function touch($key, $seconds)
    {
        return $this->values()->touch($key, $seconds);
    }

    public function forget($key)
    {
        return $this->values()->forget($key);
    }

    /**
     * The values; locks stay.
     *
     * @throws \RuntimeException where they are in the same database, and a flush would delete them
     */
    public function flush()
    {
        $this->refuseToLose($this->values());
        return $this->values()->flush();
    }

    /**
     * @internal
     * @throws \RuntimeException where a flush of that store would delete locks of this one
     */
    public function refuseToLose(Store $flushed): void
    {
        SharedDatabase::refuse($flushed, $this->locks, $this->prefix);
    }

    /** @internal */
    public function valueStore(): ?Store
    {
        return $this->values;
    }

    /** Of the locks. Values have that of their own store. */
    public function getPrefix()
    {
        return $this->prefix;
    }

    private function values(): Store
    {
        return $this->values ?? throw new \BadMethodCallException(
            'This redlock store has locks only: name a store for its values, as in [\'values\' => \'redis\'].',
        );
    }
}
