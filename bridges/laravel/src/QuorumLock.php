<?php

/** One of Laravel's locks, on a majority of servers. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Cache\Lock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use RedLock\Lease;
use RedLock\LockManager;

/**
 * What is stored is the owner and a random part, so that whoever knows the owner can restore the lock, and each
 * acquisition still is another one. As Laravel has it, a lock outlives its object and its process: nothing is released
 * unasked. A lock without an expiry is kept alive by a thread while its object lives, and has a long ttl otherwise.
 * Where no majority of the servers can be asked, every method throws a RedLock\QuorumException.
 */
final class QuorumLock extends Lock
{
    /** Of what this object acquired; without it, whatever the owner has is meant. */
    private ?string $token = null;

    /** Of a lock without an expiry. */
    private ?Lease $kept = null;

    /**
     * @param int|float $seconds 0 or less: without an expiry
     * @param int $forever for how many seconds such a lock outlives its process
     */
    public function __construct(
        private readonly LockManager $locks,
        string $name,
        $seconds,
        ?string $owner,
        private readonly int $forever,
    ) {
        parent::__construct($name, $seconds, $owner);
    }

    public function __destruct()
    {
        $this->keep(null);
    }

    public function acquire(): bool
    {
        return $this->take(0);
    }

    /**
     * Waits in line until the lock is ours, for as many seconds as it says and no shorter.
     *
     * @throws LockTimeoutException
     */
    public function block($seconds, $callback = null)
    {
        if (!$this->take((int) ceil($seconds * 1000))) {
            throw new LockTimeoutException();
        }
        if (!is_callable($callback)) {
            return true;
        }
        try {
            return $callback();
        } finally {
            $this->release();
        }
    }

    /** False: it was not ours. */
    public function release(): bool
    {
        $token = $this->token ?? $this->tokenOfOwner();
        $this->token = null;
        if ($token === null) {
            return false;
        }
        $this->keep(null);
        if ($this->attach($token)->release()) {
            return true;
        }
        $this->throwWhereNobodyKnows();
        return false;
    }

    public function forceRelease(): void
    {
        $this->token = null;
        $this->keep(null);
        $this->locks->forceRelease($this->name);
    }

    /** Lets it live for so long from now on, but never shorter than the servers were told before. */
    public function refresh($seconds = null): bool
    {
        $seconds ??= $this->seconds;
        $token = $this->token ?? $this->tokenOfOwner();
        if ($token === null) {
            return false;
        }
        $lease = $this->attach($token, $seconds, $seconds <= 0);
        $extended = false;
        try {
            $extended = $lease->extend();
        } finally {
            $this->keep($extended && $seconds <= 0 ? $lease : null);
            // What is not kept must not be released either, now that the question is answered.
            if ($this->kept !== $lease) {
                $lease->detach();
            }
        }
        return $extended;
    }

    /** Whether anybody has it. */
    public function isLocked(): bool
    {
        return $this->getCurrentOwner() !== null;
    }

    public function isOwnedBy($owner): bool
    {
        return $this->getCurrentOwner() === $owner;
    }

    /** @return ?string */
    protected function getCurrentOwner()
    {
        return $this->locks->owner($this->name);
    }

    private function take(int $wait): bool
    {
        $expires = $this->seconds > 0;
        $options = ['owner' => $this->owner] + ($expires ? [] : ['keepAlive' => true, 'atEnd' => 'keep']);
        $lease = $this->locks->acquire($this->name, $this->milliseconds($this->seconds), $wait, $options);
        if ($lease === null) {
            return false;
        }
        $this->token = $lease->token;
        if ($expires) {
            $lease->detach();
        } else {
            $this->keep($lease);
        }
        return true;
    }

    /** Whatever was kept alive before is so no longer; the lock itself stays. */
    private function keep(?Lease $lease): void
    {
        $this->kept?->detach();
        $this->kept = $lease;
    }

    /** Of the lock that somebody took as this owner, perhaps in another process. Null: this owner has none. */
    private function tokenOfOwner(): ?string
    {
        $standing = $this->locks->inspect($this->name);
        if ($standing['token'] === null) {
            $this->throwWhereNobodyKnows();
        }
        return $standing['owner'] === $this->owner ? $standing['token'] : null;
    }

    /** What answers nothing where no majority can be asked is followed by what throws then. */
    private function throwWhereNobodyKnows(): void
    {
        $this->locks->owner($this->name);
    }

    /** A lease for questions: it seems as valid as a new one, and the servers know how valid it is. */
    private function attach(string $token, int|float $seconds = 0, bool $kept = false): Lease
    {
        $ttl = $this->milliseconds($seconds);
        $handle = ['validity' => (float) $ttl, 'resource' => $this->name, 'token' => $token];
        return $this->locks->attach($handle, ['ttl' => $ttl, 'keepAlive' => $kept, 'atEnd' => 'keep']);
    }

    private function milliseconds(int|float $seconds): int
    {
        return (int) ceil(($seconds > 0 ? $seconds : $this->forever) * 1000);
    }
}
