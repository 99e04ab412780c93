<?php

/** A lock that a key has: each question attaches to it, and lets it go again, so that nothing is released when an object goes. */

declare(strict_types=1);

namespace RedLock\Symfony;

use RedLock\LeaseInterface;
use RedLock\LockManagerInterface;
use RedLock\QuorumException;

/**
 * It lives for one call. What no majority of the servers can be asked for, or says, is an exception, never an answer.
 *
 * @internal
 */
final class HeldLock
{
    /** The shortest ttl that leaves validity under any drift. A key's own lifetime may be shorter. */
    private const TTL_MS_MIN = 10;

    /** A hundred years, the longest that there is. */
    private const TTL_MS_MAX = 3_153_600_000_000;

    /** Before servers are asked again whether a key has its lock still: a few round trips, and then more. */
    private const PAUSES_MS = [5, 20];

    /** Of a ttl that is asked for: what counts of the lease afterwards is what the answer gave, so it begins with less. */
    public const PART_BEFORE = 0.9;

    /** @param array{resource: string, token: string, shared?: bool, fence?: ?int} $handle what attach() wants, but for the validity */
    public function __construct(private readonly LockManagerInterface $locks, private readonly array $handle)
    {
    }

    public static function milliseconds(float $seconds): int
    {
        return (int) ceil(max(self::TTL_MS_MIN, min($seconds * 1000, self::TTL_MS_MAX)));
    }

    /**
     * @param float $validity in seconds; only what has validity is asked for, and the servers know how much there is
     * @param array{ttl?: int, keepAlive?: bool} $options
     */
    public function attach(float $validity, array $options = []): LeaseInterface
    {
        return $this->locks->attach(
            ['validity' => (float) self::milliseconds($validity)] + $this->handle,
            ['atEnd' => 'keep'] + $options,
        );
    }

    /** False: so many servers have said so that no majority has it. */
    public function confirm(): bool
    {
        foreach (self::tries() as $_) {
            // A key's own lifetime says nothing of what the servers have. Null: they were only in trouble.
            $confirmed = $this->ask(self::TTL_MS_MAX / 1000, static fn (LeaseInterface $lease): ?bool
                => $lease->confirm() ?: (isset($lease->lastErrors()['lock']) ? false : null));
            if ($confirmed !== null) {
                return $confirmed;
            }
        }
        // It throws, with a reason for each server, unless they have answered by now.
        $this->locks->owner($this->handle['resource']);
        throw new QuorumException("No majority of the servers said in time whether the lock on \"{$this->handle['resource']}\" is still ours");
    }

    /**
     * @return ?float for how many seconds it can be trusted from now on; null: it is lost
     * @throws QuorumException where it is still there, and no majority says in time that they keep it for longer
     */
    public function extend(float $ttl): ?float
    {
        $remaining = $this->extendOnce($ttl);
        // An answer that comes too late is none that says no.
        if ($remaining !== null || !$this->confirm()) {
            return $remaining;
        }
        return $this->extendOnce($ttl)
            ?? throw new QuorumException("The servers were too late to extend the lock on \"{$this->handle['resource']}\".");
    }

    /**
     * Gives it another token, whatever comes of it, also where it throws.
     *
     * @param float $told for how many seconds servers may keep it
     * @param ?string $token becomes the new one
     * @return ?float for how many seconds it can be trusted from now on; null: it is lost
     */
    public function shorten(float $ttl, float $told, ?string &$token): ?float
    {
        $lease = $this->attach($told);
        try {
            return $lease->shorten(self::milliseconds($ttl)) ? $lease->remaining() / 1000 : null;
        } finally {
            $token = $lease->detach()['token'];
        }
    }

    /** False: a majority of the servers has it still. It is as good where it was not ours any more. */
    public function release(): bool
    {
        return $this->attach(self::TTL_MS_MAX / 1000)->release() || !$this->confirm();
    }

    private function extendOnce(float $ttl): ?float
    {
        return $this->ask($ttl * self::PART_BEFORE, static fn (LeaseInterface $lease): ?float
            => $lease->extend(self::milliseconds($ttl)) ? $lease->remaining() / 1000 : null);
    }

    /**
     * @template T
     * @param callable(LeaseInterface): T $question must not keep the lease, which is there for this question only
     * @return T
     */
    private function ask(float $validity, callable $question): mixed
    {
        $lease = $this->attach($validity);
        try {
            return $question($lease);
        } finally {
            $lease->detach();
        }
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
}
