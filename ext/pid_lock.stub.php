<?php

/**
 * The timestamp lock on one server; documented in stubs/redlock.php.
 *
 * @generate-class-entries
 */

/** @not-serializable */
class PidLock
{
    public function __construct(
        #[\SensitiveParameter]
        string|array $server = '127.0.0.1:6379',
        array $options = []
    ) {}

    /** @tentative-return-type */
    public function getPidLock(
        string|int $pid,
        int|float $lock_timeout,
        int|float $sleep_time = 0,
        int $retry_times = 0,
        int|float $buffer_time = 0.001
    ): int {}

    /** @tentative-return-type */
    public function releasePidLock(string|int $pid, int|float $buffer_time = 0.003): bool {}

    /** @tentative-return-type */
    public function holdsPidLock(string|int $pid): bool {}

    /** @tentative-return-type */
    public function remainingPidLock(string|int $pid): float {}

    /** @tentative-return-type */
    protected function _getLockKey(string|int $pid): string {}
}
