<?php

/**
 * The quorum lock over several independent servers; documented in stubs/redlock.php.
 * Return types are told to readers only: subclasses of the userland class declare none.
 *
 * @generate-class-entries
 */

/** @not-serializable */
class RedLock
{
    public function __construct(
        #[\SensitiveParameter]
        array|string $servers,
        int $retryDelay = 200,
        int $retryCount = 3,
        array $options = []
    ) {}

    /** @return array|false */
    public function lock(string|int $resource, int $ttl) {}

    /**
     * Takes false too; but where `array|false` is declared, no subclass may declare the userland
     * class's `array`.
     *
     * @return bool
     */
    public function unlock(array $lock) {}

    /** @return array|false */
    public function extend(array|false $lock, int $ttl) {}

    /** @return bool */
    public function isHeld(array|false $lock) {}

    /** @return array */
    public function lastErrors() {}
}
