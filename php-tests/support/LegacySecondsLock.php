<?php

/** The variant of the timestamp lock whose stamps are whole seconds and whose key gets an EXPIRE afterwards. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

use RedLock\Harness\RespClient;

final class LegacySecondsLock
{
    public function __construct(private readonly RespClient $redis)
    {
    }

    public function acquire(string $key, int $expire): bool
    {
        $value = time() + $expire;
        $locked = $this->redis->call('SETNX', $key, $value) === 1
            || ((float) $this->redis->call('GET', $key) < time()
                && (float) $this->redis->call('GETSET', $key, $value) < time());
        if ($locked) {
            $this->redis->call('EXPIRE', $key, $expire);
        }
        return $locked;
    }

    public function release(string $key): void
    {
        if ($this->redis->call('TTL', $key)) {
            $this->redis->call('DEL', $key);
        }
    }
}
