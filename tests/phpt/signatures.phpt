--TEST--
Every method has the documented signature
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/signatures.inc';
print_signatures('RedLock', 'PidLock');
$tentative = true;
foreach (['RedLock', 'PidLock'] as $class) {
    foreach ((new ReflectionClass($class))->getMethods() as $method) {
        $tentative = $tentative && ($method->isConstructor() || $method->hasTentativeReturnType());
    }
}
var_dump($tentative);
?>
--EXPECT--
class RedLock []
  public __construct(#[SensitiveParameter] array $servers, int $retryDelay = 200, int $retryCount = 3, array $options = [])
  public lock(string|int $resource, int $ttl): array|false
  public unlock(array $lock): bool
  public extend(array $lock, int $ttl): array|false
  public isHeld(array $lock): bool
  public lastErrors(): array
class PidLock []
  public __construct(#[SensitiveParameter] array|string $server = "127.0.0.1:6379", array $options = [])
  public getPidLock(string|int $pid, int|float $lock_timeout, int|float $sleep_time = 0, int $retry_times = 0, int|float $buffer_time = 0.001): int
  public releasePidLock(string|int $pid, int|float $buffer_time = 0.003): bool
  public holdsPidLock(string|int $pid): bool
  public remainingPidLock(string|int $pid): float
  protected _getLockKey(string|int $pid): string
bool(true)
