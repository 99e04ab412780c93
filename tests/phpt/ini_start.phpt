--TEST--
A setting that cannot be meant in php.ini leaves the default
--EXTENSIONS--
redlock
--INI--
redlock.pool_idle_seconds=-5
redlock.persistent=off
--FILE--
<?php
var_dump(ini_get('redlock.pool_idle_seconds'), ini_get('redlock.persistent'));
?>
--EXPECT--
string(2) "60"
string(0) ""
