--TEST--
A fatal error in a signal handler ends the request, and the waiting call is undone
--EXTENSIONS--
redlock
pcntl
--INI--
fatal_error_backtraces=0
pcre.jit=0
--ENV--
VALGRIND_OPTS=--leak-check=no
--FILE--
<?php
require __DIR__ . '/helper.inc';
pcntl_async_signals(true);
[$socket, $address] = silent_server();
$lock = new RedLock([$address], 0, 1, ['timeout' => 20]);
$began = microtime(true);
register_shutdown_function(function () use ($socket, $began) {
    echo microtime(true) - $began < 10 ? "soon " : "late ";
    [, $heard] = heard_by($socket);
    echo is_undone($heard) ? "undone\n" : "not undone\n";
    $other = new RedLock([dead_server()], 0, 1);
    say(fn() => $other->lock('after', 1000));
});
pcntl_signal(SIGUSR1, fn() => eval('class RedLock {}'));
$messenger = new Messenger(SIGUSR1, 0.2);
$lock->lock('r', 10000);
echo "not reached\n";
?>
--EXPECTF--
Fatal error: Cannot %sclass RedLock%s on line %d
soon undone
RedLock\QuorumException: RedLock::lock(): no majority of 1 server could be asked for 'after' (needs 1, tried for %d ms): 127.0.0.1:%d: Connection refused
