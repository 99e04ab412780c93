--TEST--
A call to servers that say nothing returns within its timeouts and pauses
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
$servers = [silent_server()[1], silent_server()[1], silent_server()[1]];
$timed = function (string $what, float $budget, callable $call) {
    $began = microtime(true);
    try {
        $call();
    } catch (RedLock\Exception $error) {
    }
    $took = microtime(true) - $began;
    // Not at once, and never ten times as long.
    echo $what, $took > 0.8 * $budget && $took < 10 * $budget ? ' in time' : sprintf(' took %.3f s', $took), "\n";
};
$handle = ['resource' => 'r', 'token' => 't'];
$lock = new RedLock($servers, 100, 3, ['timeout' => 0.1]);
$timed('lock', 3 * 0.1 + 2 * 0.05, fn() => $lock->lock('r', 1000));
$timed('extend', 0.1, fn() => $lock->extend($handle, 1000));
$timed('isHeld', 0.1, fn() => $lock->isHeld($handle));
$timed('unlock', 0.1, fn() => $lock->unlock($handle));
$pid = new PidLock($servers[0], ['timeout' => 0.1]);
$timed('getPidLock', 2 * 0.1 + 0.2, fn() => $pid->getPidLock('p', 1, sleep_time: 0.2, retry_times: 1));
?>
--EXPECT--
lock in time
extend in time
isHeld in time
unlock in time
getPidLock in time
