--TEST--
A forked child that ends like any script leaves its parent's call alone
--EXTENSIONS--
redlock
pcntl
--FILE--
<?php
require __DIR__ . '/helper.inc';
pcntl_async_signals(true);
[$socket, $address] = silent_server();
$lock = new RedLock([[...explode(':', $address), 20]], 0, 1);
pcntl_signal(SIGUSR1, function () use ($socket) {
    $child = pcntl_fork();
    if ($child === 0) {
        // With every shutdown that PHP has, in the middle of the inherited call.
        exit(0);
    }
    pcntl_waitpid($child, $status);
    echo 'child ended with ', pcntl_wexitstatus($status), "\n";
    [$connection, $heard] = heard_by($socket);
    vprintf('%d taken, %d removed, ', taken_and_removed($heard));
    echo feof($connection) ? "closed\n" : "open\n";
    fwrite($connection, "+OK\r\n");
    $GLOBALS['kept'] = $connection;
});
$messenger = new Messenger(SIGUSR1, 0.2);
echo is_array($lock->lock('r', 60000)) ? "parent got the lock\n" : "nothing\n";
?>
--EXPECT--
child ended with 0
1 taken, 0 removed, open
parent got the lock
