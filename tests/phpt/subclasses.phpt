--TEST--
Subclasses may override untyped, keep properties, and name their own keys
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';

class OldRedLock extends RedLock {
    private $log = [];
    public function lock($resource, $ttl) { $this->log[] = $resource; return parent::lock($resource, $ttl); }
    public function unlock(array $lock) { return parent::unlock($lock); }
    public function log() { return $this->log; }
}
$old = new OldRedLock([dead_server()], 0, 1);
say(fn() => $old->lock('r', 1000));
say(fn() => $old->log());

class Keys extends PidLock {
    public $answer;
    public function _getLockKey($pid) {
        if ($this->answer instanceof Throwable) {
            throw $this->answer;
        }
        return $this->answer === 'parent' ? 'mine:' . parent::_getLockKey($pid) : $this->answer;
    }
}
$keys = new Keys(dead_server(), ['prefix' => 'pre:']);
foreach (['parent', 'text', 17, 1.5, null, ['x'], new DomainException('from the key')] as $keys->answer) {
    say(fn() => $keys->getPidLock('p', 1));
    say(fn() => $keys->releasePidLock('p'));
}

class ByReference extends PidLock {
    private $key = 'by reference';
    public function &_getLockKey($pid) { return $this->key; }
}
say(fn() => (new ByReference(dead_server()))->getPidLock('p', 1));
class Visible extends PidLock { public function key($pid) { return $this->_getLockKey($pid); } }
say(fn() => (new Visible())->key(7));
say(fn() => (new Visible('h', ['prefix' => '']))->key('a b'));
say(fn() => (new PidLock())->_getLockKey('x'));
?>
--EXPECTF--
RedLock\QuorumException: RedLock::lock(): no majority of 1 server could be asked for 'r' (needs 1, tried for %d ms): 127.0.0.1:%d: Connection refused
array (
  0 => 'r',
)
RedLock\ConnectionException: PidLock::getPidLock(): 127.0.0.1:%d could not be asked for 'mine:pre:p' (tried for %d ms): Connection refused
true
RedLock\ConnectionException: PidLock::getPidLock(): 127.0.0.1:%d could not be asked for 'text' (tried for %d ms): Connection refused
true
RedLock\ConnectionException: PidLock::getPidLock(): 127.0.0.1:%d could not be asked for '17' (tried for %d ms): Connection refused
true
TypeError: Keys::_getLockKey(): Return value must be of type string, float returned
TypeError: Keys::_getLockKey(): Return value must be of type string, float returned
TypeError: Keys::_getLockKey(): Return value must be of type string, null returned
TypeError: Keys::_getLockKey(): Return value must be of type string, null returned
TypeError: Keys::_getLockKey(): Return value must be of type string, array returned
TypeError: Keys::_getLockKey(): Return value must be of type string, array returned
DomainException: from the key
DomainException: from the key
RedLock\ConnectionException: PidLock::getPidLock(): 127.0.0.1:%d could not be asked for 'by reference' (tried for %d ms): Connection refused
'lock_pid:7'
'a b'
Error: Call to protected method PidLock::_getLockKey() from global scope
