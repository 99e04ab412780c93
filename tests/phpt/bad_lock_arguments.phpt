--TEST--
Resources, ttls and handles that cannot be meant are refused by argument
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
$lock = new RedLock([dead_server()], 0, 1);
foreach ([0, -1, 1, 2, PHP_INT_MIN, PHP_INT_MAX, 3153600000001, 'x', []] as $ttl) {
    say(fn() => $lock->lock('r', $ttl));
}
say(fn() => $lock->extend(['resource' => 'r', 'token' => 't'], 0));
say(fn() => (new RedLock(['h'], 0, 1, ['driftFactor' => 0.9]))->lock('r', 20));
foreach ([str_repeat('r', 65537), [], new stdClass()] as $resource) {
    say(fn() => $lock->lock($resource, 1000));
}
$handles = [
    [], ['resource' => 'r'], ['token' => 't'], ['resource' => null, 'token' => 't'], ['resource' => 1.5, 'token' => 't'],
    ['resource' => 'r', 'token' => 5], ['resource' => 'r', 'token' => ''], ['resource' => 'r', 'token' => str_repeat('t', 65537)],
    ['resource' => str_repeat('r', 65537), 'token' => 't'], ['r', 't'],
];
foreach ($handles as $handle) {
    say(fn() => $lock->unlock($handle));
    say(fn() => $lock->extend($handle, 1000));
    say(fn() => $lock->isHeld($handle));
}
foreach ([true, null, 'r', new ArrayObject()] as $handle) {
    say(fn() => $lock->unlock($handle));
    say(fn() => $lock->extend($handle, 1000));
    say(fn() => $lock->isHeld($handle));
}
say(fn() => $lock->unlock(false));
say(fn() => $lock->extend(false, 1000));
say(fn() => $lock->isHeld(false));
say(fn() => $lock->lastErrors());
?>
--EXPECTF--
ValueError: RedLock::lock(): Argument #2 ($ttl) must be greater than 0
ValueError: RedLock::lock(): Argument #2 ($ttl) must be greater than 0
ValueError: RedLock::lock(): Argument #2 ($ttl) is too small: clock drift leaves no validity
ValueError: RedLock::lock(): Argument #2 ($ttl) is too small: clock drift leaves no validity
ValueError: RedLock::lock(): Argument #2 ($ttl) must be greater than 0
ValueError: RedLock::lock(): Argument #2 ($ttl) must be at most 3153600000000 ms
ValueError: RedLock::lock(): Argument #2 ($ttl) must be at most 3153600000000 ms
TypeError: RedLock::lock(): Argument #2 ($ttl) must be of type int, string given
TypeError: RedLock::lock(): Argument #2 ($ttl) must be of type int, array given
ValueError: RedLock::extend(): Argument #2 ($ttl) must be greater than 0
ValueError: RedLock::lock(): Argument #2 ($ttl) is too small: clock drift leaves no validity
ValueError: RedLock::lock(): Argument #1 ($resource) must be at most 65536 bytes long
TypeError: RedLock::lock(): Argument #1 ($resource) must be of type string|int, array given
TypeError: RedLock::lock(): Argument #1 ($resource) must be of type string|int, stdClass given
ValueError: RedLock::unlock(): Argument #1 ($lock) must have the key "resource", which is missing
ValueError: RedLock::extend(): Argument #1 ($lock) must have the key "resource", which is missing
ValueError: RedLock::isHeld(): Argument #1 ($lock) must have the key "resource", which is missing
ValueError: RedLock::unlock(): Argument #1 ($lock) must have the key "token", which is missing
ValueError: RedLock::extend(): Argument #1 ($lock) must have the key "token", which is missing
ValueError: RedLock::isHeld(): Argument #1 ($lock) must have the key "token", which is missing
ValueError: RedLock::unlock(): Argument #1 ($lock) must have the key "resource", which is missing
ValueError: RedLock::extend(): Argument #1 ($lock) must have the key "resource", which is missing
ValueError: RedLock::isHeld(): Argument #1 ($lock) must have the key "resource", which is missing
TypeError: RedLock::unlock(): Argument #1 ($lock) must have a string or int under "resource", null given
TypeError: RedLock::extend(): Argument #1 ($lock) must have a string or int under "resource", null given
TypeError: RedLock::isHeld(): Argument #1 ($lock) must have a string or int under "resource", null given
TypeError: RedLock::unlock(): Argument #1 ($lock) must have a string or int under "resource", float given
TypeError: RedLock::extend(): Argument #1 ($lock) must have a string or int under "resource", float given
TypeError: RedLock::isHeld(): Argument #1 ($lock) must have a string or int under "resource", float given
TypeError: RedLock::unlock(): Argument #1 ($lock) must have a string under "token", int given
TypeError: RedLock::extend(): Argument #1 ($lock) must have a string under "token", int given
TypeError: RedLock::isHeld(): Argument #1 ($lock) must have a string under "token", int given
ValueError: RedLock::unlock(): Argument #1 ($lock) must be a usable handle: token must not be empty
ValueError: RedLock::extend(): Argument #1 ($lock) must be a usable handle: token must not be empty
ValueError: RedLock::isHeld(): Argument #1 ($lock) must be a usable handle: token must not be empty
ValueError: RedLock::unlock(): Argument #1 ($lock) must be a usable handle: token must be at most 65536 bytes long
ValueError: RedLock::extend(): Argument #1 ($lock) must be a usable handle: token must be at most 65536 bytes long
ValueError: RedLock::isHeld(): Argument #1 ($lock) must be a usable handle: token must be at most 65536 bytes long
ValueError: RedLock::unlock(): Argument #1 ($lock) must be a usable handle: resource must be at most 65536 bytes long
ValueError: RedLock::extend(): Argument #1 ($lock) must be a usable handle: resource must be at most 65536 bytes long
ValueError: RedLock::isHeld(): Argument #1 ($lock) must be a usable handle: resource must be at most 65536 bytes long
ValueError: RedLock::unlock(): Argument #1 ($lock) must have the key "resource", which is missing
ValueError: RedLock::extend(): Argument #1 ($lock) must have the key "resource", which is missing
ValueError: RedLock::isHeld(): Argument #1 ($lock) must have the key "resource", which is missing
TypeError: RedLock::unlock(): Argument #1 ($lock) must be of type array|false, bool given
TypeError: RedLock::extend(): Argument #1 ($lock) must be of type array|false, bool given
TypeError: RedLock::isHeld(): Argument #1 ($lock) must be of type array|false, bool given
TypeError: RedLock::unlock(): Argument #1 ($lock) must be of type array|false, null given
TypeError: RedLock::extend(): Argument #1 ($lock) must be of type array|false, null given
TypeError: RedLock::isHeld(): Argument #1 ($lock) must be of type array|false, null given
TypeError: RedLock::unlock(): Argument #1 ($lock) must be of type array|false, string given
TypeError: RedLock::extend(): Argument #1 ($lock) must be of type array|false, string given
TypeError: RedLock::isHeld(): Argument #1 ($lock) must be of type array|false, string given
TypeError: RedLock::unlock(): Argument #1 ($lock) must be of type array|false, ArrayObject given
TypeError: RedLock::extend(): Argument #1 ($lock) must be of type array|false, ArrayObject given
TypeError: RedLock::isHeld(): Argument #1 ($lock) must be of type array|false, ArrayObject given
false
false
false
array (
  'lock' => 'false was given instead of a lock',
)
