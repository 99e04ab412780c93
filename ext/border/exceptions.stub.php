<?php

/**
 * What is thrown when the servers, and not the caller, are at fault; documented in
 * stubs/redlock.php.
 *
 * @generate-class-entries
 */

namespace RedLock;

interface Exception extends \Throwable
{
}

class ConnectionException extends \RuntimeException implements Exception
{
    private array $faults = [];

    final public function faults(): array {}
}

class QuorumException extends \RuntimeException implements Exception
{
    private array $faults = [];

    /** @implementation-alias RedLock\ConnectionException::faults */
    final public function faults(): array {}
}

class NotALockException extends \RuntimeException implements Exception
{
}

class LeaseLostException extends \RuntimeException implements Exception
{
}

class NotAcquiredException extends \RuntimeException implements Exception
{
}

class DeadlockException extends \LogicException implements Exception
{
}

class LeaseModeException extends \LogicException implements Exception
{
}

class KeepAliveException extends \RuntimeException implements Exception
{
}
