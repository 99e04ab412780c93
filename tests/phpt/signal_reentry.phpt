--TEST--
A signal handler may use the very objects whose call is waiting
--EXTENSIONS--
redlock
pcntl
--FILE--
<?php
require __DIR__ . '/helper.inc';
pcntl_async_signals(true);
[$socket, $address] = silent_server();
$lock = new RedLock([[...explode(':', $address), 20]], 0, 1);
$inside = new RedLock([dead_server()], 200, 2);

pcntl_signal(SIGUSR1, function () use ($socket, $lock, $inside) {
    say(fn() => $lock->__construct(['h']));
    say(fn() => $lock->lastErrors());
    say(fn() => $inside->lock('other', 1000));
    [$connection] = heard_by($socket);
    // For the outer call, and for the inner one behind it on the same connection.
    fwrite($connection, "+OK\r\n");
    reply_to_next_script($connection, ":1\r\n");
    say(fn() => $lock->isHeld(['resource' => 'inner', 'token' => 't']));
    $GLOBALS['kept'] = $connection;
});
$messenger = new Messenger(SIGUSR1, 0.2);
$handle = $lock->lock(5, 60000);
echo gettype($handle['validity']), ' ', var_export($handle['resource'], true), ' ', strlen($handle['token']), "\n";
say(fn() => $lock->lastErrors());
?>
--EXPECTF--
Error: The RedLock object is initialised already
array (
)
RedLock\QuorumException: RedLock::lock(): no majority of 1 server could be asked for 'other' (needs 1, tried for %d ms): 127.0.0.1:%d: Connection refused
true
double 5 32
array (
)
