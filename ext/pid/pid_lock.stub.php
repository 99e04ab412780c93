<?php

/**
 * The timestamp lock on one server; documented in stubs/redlock.php.
 * Return types are told to readers only: subclasses of the userland class declare none.
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

    /** @return int */
    public function getPidLock(
        string|int $pid,
        int|float $lock_timeout,
        int|float $sleep_time = 0,
        int $retry_times = 0,
        int|float $buffer_time = 0.001
    ) {}

    /** @return bool */
    public function releasePidLock(string|int $pid, int|float $buffer_time = 0.003) {}

    /** @return bool */
    public function holdsPidLock(string|int $pid) {}

    /** @return float */
    public function remainingPidLock(string|int $pid) {}

    /** @return array<string, string> */
    public function lastErrors() {}

    /** @return string */
    protected function _getLockKey(string|int $pid) {}
}
