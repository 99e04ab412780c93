--TEST--
The option line is a bool, of LockManager alone, and a wait is not negative
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
foreach ([1, 0, null, 'yes', 1.0, []] as $line) {
    say(fn() => new RedLock\LockManager('h', ['line' => $line]));
}
say(fn() => new RedLock\LockManager('h', ['Line' => true]));
say(fn() => new RedLock(['h'], 200, 3, ['line' => true]));
say(fn() => new PidLock('h', ['line' => true]));
$address = dead_server();
foreach ([true, false] as $line) {
    $locks = new RedLock\LockManager($address, ['line' => $line]);
    say(fn() => $locks->acquire('r', 1000, -1));
    say(fn() => $locks->acquire('r', 1000, PHP_INT_MIN));
    say(fn() => $locks->acquire('r', 0, 1000));
    say(fn() => $locks->acquire('r', 2, 1000));
    say(fn() => $locks->acquire(str_repeat('r', 65537), 1000, 1000));
    say(fn() => $locks->acquire('r', 1000, 1000, ['line' => true]));
    say(fn() => $locks->acquire('r', 1000, 1000, ['owner' => str_repeat('o', 257)]));
    say(fn() => $locks->lastErrors() === []);
}
?>
--EXPECT--
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: line must be of type bool, int given
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: line must be of type bool, int given
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: line must be of type bool, null given
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: line must be of type bool, string given
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: line must be of type bool, float given
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: line must be of type bool, array given
ValueError: RedLock\LockManager::__construct(): Argument #2 ($options) must not contain the unknown option 'Line'
ValueError: RedLock::__construct(): Argument #4 ($options) must not contain the unknown option 'line'
ValueError: PidLock::__construct(): Argument #2 ($options) must not contain the unknown option 'line'
ValueError: RedLock\LockManager::acquire(): Argument #3 ($wait) must be greater than or equal to 0
ValueError: RedLock\LockManager::acquire(): Argument #3 ($wait) must be greater than or equal to 0
ValueError: RedLock\LockManager::acquire(): Argument #2 ($ttl) must be greater than 0
ValueError: RedLock\LockManager::acquire(): Argument #2 ($ttl) is too small: clock drift leaves no validity
ValueError: RedLock\LockManager::acquire(): Argument #1 ($resource) must be at most 65536 bytes long
ValueError: RedLock\LockManager::acquire(): Argument #4 ($options) must not contain the unknown option 'line'
ValueError: RedLock\LockManager::acquire(): Argument #4 ($options) must be valid: owner must be at most 256 bytes long
true
ValueError: RedLock\LockManager::acquire(): Argument #3 ($wait) must be greater than or equal to 0
ValueError: RedLock\LockManager::acquire(): Argument #3 ($wait) must be greater than or equal to 0
ValueError: RedLock\LockManager::acquire(): Argument #2 ($ttl) must be greater than 0
ValueError: RedLock\LockManager::acquire(): Argument #2 ($ttl) is too small: clock drift leaves no validity
ValueError: RedLock\LockManager::acquire(): Argument #1 ($resource) must be at most 65536 bytes long
ValueError: RedLock\LockManager::acquire(): Argument #4 ($options) must not contain the unknown option 'line'
ValueError: RedLock\LockManager::acquire(): Argument #4 ($options) must be valid: owner must be at most 256 bytes long
true
