<?php

/** The timestamp lock as it is copied around: SETNX, GET, GETSET and DEL, judged by the client's clock. */

declare(strict_types=1);

namespace RedLock\Harness;

final class LegacyPidLock
{
    public function __construct(private readonly RespClient $redis, private readonly string $prefix = 'lock_pid:')
    {
    }

    public function getPidLock(
        string|int $pid,
        int|float $lock_timeout,
        int|float $sleep_time = 0,
        int $retry_times = 0,
        int|float $buffer_time = 0.001,
    ): int {
        $key = $this->prefix . $pid;
        for ($tried = 0; $tried <= $retry_times; ++$tried) {
            $now = self::millitime();
            $expiry = $now + (int) ($lock_timeout * 1000 + $buffer_time * 1000);
            if ($this->redis->call('SETNX', $key, $expiry) === 1) {
                return 1;
            }
            $looksOver = $now > (float) $this->redis->call('GET', $key);
            if ($looksOver && $now > (float) $this->redis->call('GETSET', $key, $expiry)) {
                return 1;
            }
            if ($sleep_time > 0) {
                usleep((int) ($sleep_time * 1e6));
            }
        }
        return 0;
    }

    public function releasePidLock(string|int $pid, int|float $buffer_time = 0.003): bool
    {
        $expiry = $this->redis->call('GET', $this->prefix . $pid);
        if ($expiry && (float) $expiry - self::millitime() > $buffer_time) {
            $this->redis->call('DEL', $this->prefix . $pid);
        }
        return true;
    }

    private static function millitime(): int
    {
        return (int) (microtime(true) * 1000);
    }
}
