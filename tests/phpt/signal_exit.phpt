--TEST--
exit() in a signal handler ends the script in the middle of a call
--EXTENSIONS--
redlock
pcntl
--INI--
pcre.jit=0
--FILE--
<?php
require __DIR__ . '/helper.inc';
pcntl_async_signals(true);
[$socket, $address] = silent_server();
$lock = new RedLock([$address], 0, 1, ['timeout' => 20]);
$began = microtime(true);
register_shutdown_function(function () use ($socket, $lock, $began) {
    [, $heard] = heard_by($socket);
    echo is_undone($heard) ? 'undone ' : 'not undone ';
    echo microtime(true) - $began < 5 ? "soon\n" : "late\n";
    say(fn() => $lock->lastErrors());
});
pcntl_signal(SIGUSR1, function () { echo "exit\n"; exit(0); });
$messenger = new Messenger(SIGUSR1, 0.2);
$lock->lock('r', 10000);
echo "not reached\n";
?>
--EXPECT--
exit
undone soon
array (
)
