--TEST--
By default both classes have two names, the userland file is skipped by its guard, and loading it is PHP's own error
--EXTENSIONS--
redlock
--ENV--
VALGRIND_OPTS=--leak-check=no
--FILE--
<?php
var_dump(ini_get('redlock.global_names'), ini_set('redlock.global_names', '0'));
foreach (['RedLock', 'PidLock'] as $class) {
    var_dump((new ReflectionClass("RedLock\\$class"))->getName());
}
var_dump(new RedLock\PidLock() instanceof PidLock);
if (!class_exists(\RedLock::class, false)) {
    require __DIR__ . '/userland.inc';
}
var_dump((new ReflectionClass(\RedLock::class))->isInternal());
require __DIR__ . '/userland.inc';
?>
--EXPECTF--
string(1) "1"
bool(false)
string(7) "RedLock"
string(7) "PidLock"
bool(true)
bool(true)

Fatal error: Cannot %sclass RedLock%suserland.inc on line %d
