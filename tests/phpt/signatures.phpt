--TEST--
Every method has the documented parameters, and none a return type that a subclass would have to repeat
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/signatures.inc';
print_signatures('RedLock', 'PidLock');
?>
--EXPECT--
class RedLock []
  public __construct(#[SensitiveParameter] array|string $servers, int $retryDelay = 200, int $retryCount = 3, array $options = [])
  public lock(string|int $resource, int $ttl)
  public unlock(array $lock)
  public extend(array|false $lock, int $ttl)
  public isHeld(array|false $lock)
  public lastErrors()
class PidLock []
  public __construct(#[SensitiveParameter] array|string $server = "127.0.0.1:6379", array $options = [])
  public getPidLock(string|int $pid, int|float $lock_timeout, int|float $sleep_time = 0, int $retry_times = 0, int|float $buffer_time = 0.001)
  public releasePidLock(string|int $pid, int|float $buffer_time = 0.003)
  public holdsPidLock(string|int $pid)
  public remainingPidLock(string|int $pid)
  public lastErrors()
  protected _getLockKey(string|int $pid)
