--TEST--
A forked child has no part in its parent's calls, connections and locks
--EXTENSIONS--
redlock
pcntl
--FILE--
<?php
require __DIR__ . '/helper.inc';
pcntl_async_signals(true);
[$socket, $address] = silent_server();
$lock = new RedLock([[...explode(':', $address), 20]], 0, 1);

// Forks while the call waits. The child gives up the call and makes its own; then the parent's
// connection must be as it was, and its call end well.
pcntl_signal(SIGUSR1, function () use ($socket, &$forked) {
    $forked = pcntl_fork();
    if ($forked === 0) {
        return;
    }
    pcntl_waitpid($forked, $status);
    [$first, $heard] = heard_by($socket);
    vprintf("parent: %d taken, %d removed\n", taken_and_removed($heard));
    echo feof($first) ? "parent's connection was closed\n" : "parent's connection is open\n";
    [$second, $heard] = heard_by($socket);
    vprintf("child: %d taken on a connection of its own\n", taken_and_removed($heard));
    fwrite($first, "+OK\r\n");
    $GLOBALS['kept'] = [$first, $second];
});
$messenger = new Messenger(SIGUSR1, 0.2);
try {
    $handle = $lock->lock('r', 60000);
    echo $forked === 0 ? 'child' : 'parent', ' got ', is_array($handle) ? 'the lock' : 'nothing', "\n";
} catch (RedLock\QuorumException $error) {
    echo $forked === 0 ? 'child: ' : 'parent: ', $error->getMessage(), "\n";
    if ($forked === 0) {
        $own = new RedLock([[...explode(':', $address), 0.1]], 0, 1);
        say(fn() => $own->lock('r', 1000));
    }
}
if ($forked === 0) {
    // No destructor of the parent's objects.
    pcntl_exec('/bin/true');
}
?>
--EXPECTF--
child: RedLock::lock(): the process forked during the call
RedLock\QuorumException: RedLock::lock(): no majority of 1 server could be asked for 'r' (needs 1, tried for %d ms): 127.0.0.1:%d: no answer (timed out after 250 ms, its timeout)
parent: 1 taken, 0 removed
parent's connection is open
child: 1 taken on a connection of its own
parent got the lock
