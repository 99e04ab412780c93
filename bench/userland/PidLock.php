<?php

declare(strict_types=1);

namespace Bench\Userland;

use Redis;

/**
 * The timestamp lock as its reference document describes it, on phpredis: up to three round trips to
 * acquire (SETNX, GET, GETSET) and two to release (GET, DEL), each client judging by its own clock.
 */
class PidLock
{
    public function __construct(private readonly Redis $redis)
    {
    }

    /** Times are in seconds. */
    public function getPidLock(
        string $pid,
        int|float $lock_timeout,
        int|float $sleep_time = 0,
        int $retry_times = 0,
        int|float $buffer_time = 0.001,
    ): int {
        $key = $this->_getLockKey($pid);
        for ($retried = 0; $retried <= $retry_times; $retried++) {
            $now = $this->millitime();
            $expiry = $now + (int) ($lock_timeout * 1000 + $buffer_time * 1000);
            if (
                $this->redis->setnx($key, (string) $expiry)
                || ($now > $this->redis->get($key) && $now > $this->redis->getSet($key, (string) $expiry))
            ) {
                return 1;
            }
            if ($sleep_time) {
                usleep((int) ($sleep_time * 1000 * 1000));
            }
        }

        return 0;
    }

    public function releasePidLock(string $pid, int|float $buffer_time = 0.003): bool
    {
        $key = $this->_getLockKey($pid);
        $expiry = $this->redis->get($key);
        if ($expiry && $expiry - $this->millitime() > $buffer_time) {
            $this->redis->del($key);
        }

        return true;
    }

    // phpcs:ignore PSR2.Methods.MethodDeclaration.Underscore -- the document's own name
    protected function _getLockKey(string $pid): string
    {
        return 'lock_pid:' . $pid;
    }

    private function millitime(): int
    {
        return (int) (microtime(true) * 1000);
    }
}
