--TEST--
With redlock.global_names=0 an application's own classes and the userland file load beside the extension
--EXTENSIONS--
redlock
--INI--
redlock.global_names=0
--FILE--
<?php
require __DIR__ . '/helper.inc';
var_dump(class_exists('RedLock', false), class_exists('PidLock', false), ini_get('redlock.global_names'));
require __DIR__ . '/userland.inc';
var_dump((new RedLock())->lock('r', 1000), (new PidLock())->getPidLock('p', 1));

// The extension's own, under the names that are left.
foreach (['RedLock\RedLock', 'RedLock\PidLock'] as $class) {
    $reflection = new ReflectionClass($class);
    var_dump($reflection->isInternal(), $reflection->getName());
}
$red = new RedLock\RedLock([dead_server()], 0, 1);
$pid = new RedLock\PidLock(dead_server());
var_dump($red instanceof RedLock, is_a($red, 'RedLock\RedLock'));
say(fn() => $red->lock('r', 1000));
say(fn() => $red->lock('r', 0));
say(fn() => $pid->getPidLock('p', 1));
say(fn() => clone $red);
say(fn() => serialize($pid));
say(fn() => unserialize('O:15:"RedLock\PidLock":0:{}'));

class Keys extends RedLock\PidLock {
    protected function _getLockKey($pid) { return 'mine:' . parent::_getLockKey($pid); }
}
say(fn() => (new Keys(dead_server()))->getPidLock('p', 1));
?>
--EXPECTF--
bool(false)
bool(false)
string(1) "0"
string(8) "userland"
int(7)
bool(true)
string(15) "RedLock\RedLock"
bool(true)
string(15) "RedLock\PidLock"
bool(false)
bool(true)
RedLock\QuorumException: RedLock\RedLock::lock(): no majority of 1 server could be asked for 'r' (needs 1, tried for %d ms): 127.0.0.1:%d: Connection refused
ValueError: RedLock\RedLock::lock(): Argument #2 ($ttl) must be greater than 0
RedLock\ConnectionException: RedLock\PidLock::getPidLock(): 127.0.0.1:%d could not be asked for 'lock_pid:p' (tried for %d ms): Connection refused
Error: Trying to clone an uncloneable object of class RedLock\RedLock
Exception: Serialization of 'RedLock\PidLock' is not allowed
Exception: Unserialization of 'RedLock\PidLock' is not allowed
RedLock\ConnectionException: RedLock\PidLock::getPidLock(): 127.0.0.1:%d could not be asked for 'mine:lock_pid:p' (tried for %d ms): Connection refused
