--TEST--
Objects are neither cloneable nor serializable, and useless before their constructor ran
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';

class ForgetfulRedLock extends RedLock { public function __construct() {} }
class ForgetfulPidLock extends PidLock {
    public function __construct() {}
    public function key() { return $this->_getLockKey('x'); }
}
class OrdinaryRedLock extends RedLock {}
class WithSerialize extends PidLock { public function __serialize(): array { return []; } }

foreach ([new RedLock(['h']), new PidLock(), new OrdinaryRedLock(['h']), new WithSerialize()] as $object) {
    say(fn() => clone $object);
    say(fn() => serialize($object));
}
say(fn() => unserialize('O:7:"RedLock":0:{}'));
say(fn() => unserialize('O:15:"OrdinaryRedLock":0:{}'));

$handle = ['resource' => 'r', 'token' => 't'];
foreach ([new ForgetfulRedLock(), (new ReflectionClass('RedLock'))->newInstanceWithoutConstructor()] as $red) {
    say(fn() => $red->lock('r', 1000));
    say(fn() => $red->unlock($handle));
    say(fn() => $red->extend($handle, 1000));
    say(fn() => $red->isHeld($handle));
    say(fn() => $red->lastErrors());
}
$pid = new ForgetfulPidLock();
say(fn() => $pid->getPidLock('p', 1));
say(fn() => $pid->releasePidLock('p'));
say(fn() => $pid->holdsPidLock('p'));
say(fn() => $pid->remainingPidLock('p'));
say(fn() => $pid->key());

// A failed constructor leaves an object that another call may still make whole, but only once.
$late = (new ReflectionClass('RedLock'))->newInstanceWithoutConstructor();
say(fn() => $late->__construct([]));
say(fn() => $late->lastErrors());
say(fn() => $late->__construct(['h']));
say(fn() => $late->lastErrors());
say(fn() => $late->__construct(['h']));
$late = new PidLock();
say(fn() => $late->__construct());
?>
--EXPECT--
Error: Trying to clone an uncloneable object of class RedLock
Exception: Serialization of 'RedLock' is not allowed
Error: Trying to clone an uncloneable object of class PidLock
Exception: Serialization of 'PidLock' is not allowed
Error: Trying to clone an uncloneable object of class OrdinaryRedLock
Exception: Serialization of 'OrdinaryRedLock' is not allowed
Error: Trying to clone an uncloneable object of class WithSerialize
Exception: Serialization of 'WithSerialize' is not allowed
Exception: Unserialization of 'RedLock' is not allowed
Exception: Unserialization of 'OrdinaryRedLock' is not allowed
Error: The ForgetfulRedLock object is not initialised; call parent::__construct()
Error: The ForgetfulRedLock object is not initialised; call parent::__construct()
Error: The ForgetfulRedLock object is not initialised; call parent::__construct()
Error: The ForgetfulRedLock object is not initialised; call parent::__construct()
Error: The ForgetfulRedLock object is not initialised; call parent::__construct()
Error: The RedLock object is not initialised; call parent::__construct()
Error: The RedLock object is not initialised; call parent::__construct()
Error: The RedLock object is not initialised; call parent::__construct()
Error: The RedLock object is not initialised; call parent::__construct()
Error: The RedLock object is not initialised; call parent::__construct()
Error: The ForgetfulPidLock object is not initialised; call parent::__construct()
Error: The ForgetfulPidLock object is not initialised; call parent::__construct()
Error: The ForgetfulPidLock object is not initialised; call parent::__construct()
Error: The ForgetfulPidLock object is not initialised; call parent::__construct()
Error: The ForgetfulPidLock object is not initialised; call parent::__construct()
ValueError: RedLock::__construct(): Argument #1 ($servers) must not be empty
Error: The RedLock object is not initialised; call parent::__construct()
NULL
array (
)
Error: The RedLock object is initialised already
Error: The PidLock object is initialised already
