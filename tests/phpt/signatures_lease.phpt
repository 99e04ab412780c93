--TEST--
LockManager and Lease have the documented parameters, types and properties, and cannot be forged
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
require __DIR__ . '/signatures.inc';
print_signatures('RedLock\LockManager', 'RedLock\Lease');
foreach (['RedLock\LockManager', 'RedLock\Lease'] as $class) {
    $reflection = new ReflectionClass($class);
    echo $class, $reflection->isFinal() ? ' is final' : '', $reflection->isCloneable() ? ', can be cloned' : '', "\n";
    foreach ($reflection->getProperties() as $property) {
        // What readonly implies is named by itself from PHP 8.5 on.
        $modifiers = array_diff(Reflection::getModifierNames($property->getModifiers()), ['protected(set)']);
        echo '  ', implode(' ', $modifiers), ' ', $property->getType(), ' $', $property->name, "\n";
    }
}
say(fn() => new RedLock\Lease());
say(fn() => (new ReflectionClass('RedLock\Lease'))->newInstanceWithoutConstructor());
say(fn() => unserialize('O:13:"RedLock\Lease":0:{}'));
say(fn() => unserialize('O:19:"RedLock\LockManager":0:{}'));
$locks = new RedLock\LockManager('h');
say(fn() => clone $locks);
say(fn() => serialize($locks));
say(fn() => $locks->dynamic = 1);
say(fn() => $locks->__construct('h'));
$lease = $locks->attach(['validity' => 1000, 'resource' => 'r', 'token' => 't'], ['atEnd' => 'keep']);
say(fn() => clone $lease);
say(fn() => serialize($lease));
say(fn() => $lease->dynamic = 1);
say(fn() => $lease->token = 'other');
say(fn() => $lease->__construct());
$lease->detach();
?>
--EXPECT--
class RedLock\LockManager [RedLock\LockManagerInterface]
  public __construct(#[SensitiveParameter] array|string $servers, array $options = [])
  public acquire(string|int $resource, Time\Duration|int $ttl = 30000, Time\Duration|int|null $wait = 0, array $options = []): ?RedLock\Lease
  public acquireShared(string|int $resource, Time\Duration|int $ttl = 30000, Time\Duration|int|null $wait = 0, array $options = []): ?RedLock\Lease
  public acquireAll(array $resources, Time\Duration|int $ttl = 30000, Time\Duration|int|null $wait = 0, array $options = []): ?RedLock\Lease
  public acquirePermit(string|int $resource, int $permits, Time\Duration|int $ttl = 30000, Time\Duration|int|null $wait = 0, array $options = []): ?RedLock\Lease
  public synchronized(array|string|int $resource, callable $critical, Time\Duration|int $ttl = 30000, Time\Duration|int|null $wait = null, array $options = []): mixed
  public attach(array $handle, array $options = []): RedLock\Lease
  public inspect(string|int $resource): array
  public owner(string|int $resource): ?string
  public forceRelease(string|int $resource): bool
  public static cancelWaits(bool $cancel = true): void
  public stats(): array
  public lastErrors(): array
class RedLock\Lease [RedLock\LeaseInterface]
  private __construct()
  public remaining(): float
  public isLive(): bool
  public assertLive(): void
  public confirm(): bool
  public extend(Time\Duration|int|null $ttl = null): bool
  public shorten(Time\Duration|int $ttl): bool
  public promote(Time\Duration|int|null $wait = 0): bool
  public demote(): bool
  public release(): bool
  public lastErrors(): array
  public handle(): array
  public detach(): array
  public __destruct()
RedLock\LockManager is final
RedLock\Lease is final
  public readonly array|string|int $resource
  public readonly string $token
  public readonly ?int $fence
Error: Call to private RedLock\Lease::__construct() from global scope
ReflectionException: Class RedLock\Lease is an internal class marked as final that cannot be instantiated without invoking its constructor
Exception: Unserialization of 'RedLock\Lease' is not allowed
Exception: Unserialization of 'RedLock\LockManager' is not allowed
Error: Trying to clone an uncloneable object of class RedLock\LockManager
Exception: Serialization of 'RedLock\LockManager' is not allowed
Error: Cannot create dynamic property RedLock\LockManager::$dynamic
Error: The RedLock\LockManager object is initialised already
Error: Trying to clone an uncloneable object of class RedLock\Lease
Exception: Serialization of 'RedLock\Lease' is not allowed
Error: Cannot create dynamic property RedLock\Lease::$dynamic
Error: Cannot modify readonly property RedLock\Lease::$token
Error: Call to private method RedLock\Lease::__construct() from global scope
