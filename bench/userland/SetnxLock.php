<?php

declare(strict_types=1);

namespace Bench\Userland;

use Redis;

/**
 * The lock of document 004 on phpredis: SETNX of the time, and GETSET where the time found is too long
 * ago. It was measured there with ab, as it polls without a pause and with one.
 */
final class SetnxLock
{
    private string $key = '';
    private int $takenMs = 0;

    public function __construct(
        private readonly Redis $redis,
        private readonly int $expireMs,
        private readonly float $sleepSeconds,
    ) {
    }

    public function acquire(string $resource): bool
    {
        $this->key = "$resource.lock";
        while (!$this->attempt()) {
            if ($this->sleepSeconds > 0) {
                usleep((int) ($this->sleepSeconds * 1e6));
            }
        }

        return true;
    }

    /** DEL only while it has not expired: it may be somebody else's since. */
    public function release(): bool
    {
        if (self::nowMs() < $this->takenMs + $this->expireMs) {
            $this->redis->del($this->key);
        }

        return true;
    }

    private function attempt(): bool
    {
        do {
            $this->takenMs = self::nowMs();
            if ($this->redis->setnx($this->key, (string) $this->takenMs)) {
                return true;
            }
            $found = $this->redis->get($this->key);
            // Deleted meanwhile and not expired: SETNX again, as the document recommends.
        } while ($found === false);
        if ($this->takenMs <= (int) $found + $this->expireMs) {
            return false;
        }

        return $this->redis->getSet($this->key, (string) $this->takenMs) === $found;
    }

    private static function nowMs(): int
    {
        return (int) (microtime(true) * 1000);
    }
}
