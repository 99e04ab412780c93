<?php

/** One of Laravel's locks, on a majority of servers. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Cache\Lock;
use Illuminate\Contracts\Cache\LockTimeoutException;
use RedLock\LeaseInterface;
use RedLock\LockManagerInterface;
use RedLock\QuorumException;

/**
 * What is stored is the owner and a random part, so that whoever knows the owner can restore the lock, and each
 * acquisition still is another one. As Laravel has it, a lock outlives its object and its process: nothing is released
 * unasked. A lock without an expiry is kept alive by a thread while its object lives, and has a long ttl otherwise.
 * Where no majority of the servers can be asked, or the silence of some leaves it open who has the lock, every method
 * throws a RedLock\QuorumException.
 */
final class QuorumLock extends Lock
{
    /** A hundred years. No longer wait or ttl is to be had. */
    private const MS_MAX = 3_153_600_000_000;

    /** Before servers are asked again: a few round trips, as a lock needs that changes hands, and then more. */
    private const PAUSES_MS = [5, 20];

    /** Of what this object acquired; without it, whatever the owner has is meant. */
    private ?string $token = null;

    /** Of the same lock, where the store asks for one. */
    private ?int $fence = null;

    /** Who acquired it by this object. In a child of a fork the object is a copy, and the lock its parent's. */
    private ?int $process = null;

    /** Of a lock without an expiry. */
    private ?LeaseInterface $kept = null;

    /**
     * @param int|float|numeric-string|null $seconds 0, less or null: without an expiry
     * @param int $forever for how many seconds such a lock outlives its process
     * @param bool $fenced whether it comes with a fence
     */
    public function __construct(
        private readonly LockManagerInterface $locks,
        string $name,
        int|float|string|null $seconds,
        ?string $owner,
        private readonly int $forever,
        private readonly bool $fenced = false,
    ) {
        parent::__construct($name, self::number($seconds ?? 0), $owner);
    }

    /** It stays the affair of the one object. */
    public function __clone()
    {
        $this->kept = null;
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
        if (!$this->take(self::milliseconds(self::number($seconds)))) {
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

    /**
     * A number that is larger than that of every earlier holder of the lock that has one: send it with each write, and let the
     * database refuse smaller ones. Null where this object has not acquired the lock, or the store has no setting `fence`.
     */
    public function fence(): ?int
    {
        return $this->process === getmypid() ? $this->fence : null;
    }

    /** False: it was not ours, as in a child of the process that acquired it. */
    public function release(): bool
    {
        $token = $this->ownToken();
        $this->token = null;
        $this->fence = null;
        if ($token === null) {
            return false;
        }
        $this->keep(null);
        $lease = $this->attach($token);
        return $lease->release() || (!self::isDenied($lease) && $this->releaseLate($token));
    }

    /** Servers that answer too late have released it, or do so now. */
    private function releaseLate(string $token): bool
    {
        foreach (self::tries() as $_) {
            $standing = $this->standing()['token'];
            if ($standing !== $token) {
                return $standing === null;
            }
            $lease = $this->attach($token);
            // It was ours, so a no says that it is gone.
            if ($lease->release() || self::isDenied($lease)) {
                return true;
            }
        }
        throw new QuorumException("The servers were too late to release the lock \"$this->name\"");
    }

    public function forceRelease(): void
    {
        $this->token = null;
        $this->fence = null;
        $this->keep(null);
        foreach (self::tries() as $_) {
            try {
                $this->locks->forceRelease($this->name);
                return;
            } catch (QuorumException $trouble) {
            }
        }
        throw $trouble;
    }

    /** Lets it live for so long from now on, but never shorter than the servers were told before. */
    public function refresh($seconds = null): bool
    {
        $seconds = self::number($seconds ?? $this->seconds);
        $token = $this->ownToken();
        if ($token === null) {
            return false;
        }
        // An answer that comes too late is none that says no.
        return $this->extend($token, $seconds) || ($this->isOurs($token) && ($this->extend($token, $seconds)
            || throw new QuorumException("The servers were too late to extend the lock \"$this->name\"")));
    }

    private function extend(string $token, int|float $seconds): bool
    {
        $lease = $this->attach($token, $seconds, $seconds <= 0);
        try {
            $extended = $lease->extend();
            // What keeps it alive goes on where this came to nothing.
            if ($extended) {
                $this->keep($seconds <= 0 ? $lease : null);
            }
        } finally {
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
        $standing = $this->standing();
        return $standing['owner'] ?? $standing['token'];
    }

    private function take(int $wait): bool
    {
        $expires = $this->seconds > 0;
        $options = ['owner' => $this->owner, 'fence' => $this->fenced] + ($expires ? [] : ['keepAlive' => true, 'atEnd' => 'keep']);
        $lease = $this->locks->acquire($this->name, $this->ttl($this->seconds), $wait, $options);
        if ($lease === null) {
            return false;
        }
        ['token' => $this->token, 'fence' => $this->fence] = $lease->handle() + ['fence' => null];
        $this->process = getmypid();
        if ($expires) {
            $lease->detach();
        } else {
            $this->keep($lease);
        }
        return true;
    }

    /** Whatever was kept alive before is so no longer; the lock itself stays. */
    private function keep(?LeaseInterface $lease): void
    {
        $this->kept?->detach();
        $this->kept = $lease;
    }

    /** Of what is ours to release and extend. Null: nothing is. */
    private function ownToken(): ?string
    {
        return ($this->process ?? getmypid()) === getmypid() ? $this->token ?? $this->tokenOfOwner() : null;
    }

    /** Of the lock that somebody took as this owner, perhaps in another process. Null: this owner has none. */
    private function tokenOfOwner(): ?string
    {
        $standing = $this->standing();
        return $standing['owner'] === $this->owner ? $standing['token'] : null;
    }

    /**
     * What a majority of the servers says of it.
     *
     * @return array<string, mixed>
     */
    private function standing(): array
    {
        foreach (self::tries() as $_) {
            $standing = $this->locks->inspect($this->name);
            if ($standing['decided']) {
                return $standing;
            }
        }
        $this->giveUp();
    }

    /** Whether a majority of the servers holds this token. */
    private function isOurs(string $token): bool
    {
        foreach (self::tries() as $_) {
            $lease = $this->attach($token);
            try {
                if ($lease->confirm()) {
                    return true;
                }
            } finally {
                $lease->detach();
            }
            if (self::isDenied($lease)) {
                return false;
            }
        }
        $this->giveUp();
    }

    /** Of a release or a confirm() that came to false: the servers have said so, it is not only their trouble. */
    private static function isDenied(LeaseInterface $lease): bool
    {
        return isset($lease->lastErrors()['lock']);
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

    private function giveUp(): never
    {
        // It throws, with a reason for each server, unless they have answered by now.
        $this->locks->owner($this->name);
        throw new QuorumException("No majority of the servers answered in time about the lock \"$this->name\"");
    }

    /** A lease for questions: it seems as valid as a new one, and the servers know how valid it is. */
    private function attach(string $token, int|float $seconds = 0, bool $kept = false): LeaseInterface
    {
        $ttl = $this->ttl($seconds);
        $handle = ['validity' => (float) $ttl, 'resource' => $this->name, 'token' => $token];
        return $this->locks->attach($handle, ['ttl' => $ttl, 'keepAlive' => $kept, 'atEnd' => 'keep']);
    }

    private function ttl(int|float $seconds): int
    {
        return self::milliseconds($seconds > 0 ? $seconds : $this->forever);
    }

    /**
     * As Laravel's other locks have it, from the environment or a queue a number may come as a string.
     *
     * @internal
     */
    public static function number(int|float|string $seconds): int|float
    {
        return is_numeric($seconds) ? +$seconds : throw new \TypeError("Seconds must be a number, \"$seconds\" given");
    }

    /** @internal */
    public static function milliseconds(int|float $seconds): int
    {
        return (int) ceil(max(0, min($seconds * 1000, self::MS_MAX)));
    }
}
