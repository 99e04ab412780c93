--TEST--
The extension loads and defines its classes
--EXTENSIONS--
redlock
--FILE--
<?php
echo phpversion('redlock'), "\n";
foreach (['RedLock', 'PidLock'] as $class) {
    $reflection = new ReflectionClass($class);
    var_dump($reflection->isInternal(), $reflection->isFinal(), $reflection->getInterfaceNames());
}
var_dump((new ReflectionClass('RedLock\RedLock'))->getName());
var_dump((new ReflectionClass('RedLock\PidLock'))->getName());
var_dump(new RedLock\RedLock(['127.0.0.1']) instanceof RedLock);
$exceptions = [
    'ConnectionException', 'QuorumException', 'NotALockException', 'LeaseLostException', 'NotAcquiredException', 'KeepAliveException',
    'DeadlockException', 'LeaseModeException',
];
foreach ($exceptions as $class) {
    $class = "RedLock\\$class";
    var_dump(get_parent_class($class), is_subclass_of($class, 'RedLock\Exception'));
}
var_dump(is_subclass_of('RedLock\Exception', 'Throwable'));
?>
--EXPECT--
0.1.0
bool(true)
bool(false)
array(0) {
}
bool(true)
bool(false)
array(0) {
}
string(7) "RedLock"
string(7) "PidLock"
bool(true)
string(16) "RuntimeException"
bool(true)
string(16) "RuntimeException"
bool(true)
string(16) "RuntimeException"
bool(true)
string(16) "RuntimeException"
bool(true)
string(16) "RuntimeException"
bool(true)
string(16) "RuntimeException"
bool(true)
string(14) "LogicException"
bool(true)
string(14) "LogicException"
bool(true)
bool(true)
