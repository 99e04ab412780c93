--TEST--
PHP's own execution timer ends a waiting call
--EXTENSIONS--
redlock
pcntl
--SKIPIF--
<?php if (PHP_ZTS) die('skip the timer of ZTS builds is not a signal that can be sent'); ?>
--INI--
fatal_error_backtraces=0
--ENV--
VALGRIND_OPTS=--leak-check=no
--FILE--
<?php
require __DIR__ . '/helper.inc';
$lock = new RedLock([silent_server()[1]], 0, 1, ['timeout' => 60]);
$began = microtime(true);
register_shutdown_function(function () use ($began) {
    echo microtime(true) - $began < 10 ? "soon\n" : "late\n";
});
set_time_limit(100);
// What the timer sends when the CPU time is used up.
$messenger = new Messenger(SIGPROF, 0.2);
$lock->lock('r', 100000);
echo "not reached\n";
?>
--EXPECTF--
Fatal error: Maximum execution time of 100 seconds exceeded in %s on line %d
soon
