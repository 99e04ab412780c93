--TEST--
max_execution_time ends a call that waits for longer, and the call is undone
--EXTENSIONS--
redlock
--INI--
fatal_error_backtraces=0
pcre.jit=0
--ENV--
VALGRIND_OPTS=--leak-check=no
--FILE--
<?php
require __DIR__ . '/helper.inc';
[$socket, $address] = silent_server();
$lock = new RedLock([$address], 0, 1, ['timeout' => 60]);
$began = microtime(true);
register_shutdown_function(function () use ($socket, $began) {
    [, $heard] = heard_by($socket);
    echo is_undone($heard) ? 'undone ' : 'not undone ';
    $took = microtime(true) - $began;
    echo $took > 0.9 && $took < 10 ? "in time\n" : "after $took s\n";
});
set_time_limit(1);
$lock->lock('r', 100000);
echo "not reached\n";
?>
--EXPECTF--
Fatal error: Maximum execution time of 1 second exceeded in %s on line %d
undone in time
