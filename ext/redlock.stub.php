<?php

/**
 * The quorum lock over several independent servers; documented in stubs/redlock.php.
 *
 * @generate-class-entries
 */

/** @not-serializable */
class RedLock
{
    public function __construct(
        #[\SensitiveParameter]
        array $servers,
        int $retryDelay = 200,
        int $retryCount = 3,
        array $options = []
    ) {}

    /** @tentative-return-type */
    public function lock(string|int $resource, int $ttl): array|false {}

    /** @tentative-return-type */
    public function unlock(array $lock): bool {}

    /** @tentative-return-type */
    public function extend(array $lock, int $ttl): array|false {}

    /** @tentative-return-type */
    public function isHeld(array $lock): bool {}

    /** @tentative-return-type */
    public function lastErrors(): array {}
}
