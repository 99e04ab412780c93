--TEST--
A signal handler runs while a call waits for an answer, and while it pauses between attempts
--EXTENSIONS--
redlock
pcntl
--FILE--
<?php
require __DIR__ . '/helper.inc';
pcntl_async_signals(true);
$ran_at = 0;
pcntl_signal(SIGUSR1, function () use (&$ran_at) { $ran_at = microtime(true); });

// Usual: 2 ms.
$latency_max = under_valgrind() ? 2.5 : 0.05;
$calls = [
    'waiting RedLock' => fn() => (new RedLock([silent_server()[1]], 0, 1, ['timeout' => 3]))->lock('r', 10000),
    'pausing RedLock' => fn() => (new RedLock([dead_server()], 6000, 2))->lock('r', 10000),
    'waiting PidLock' => fn() => (new PidLock(silent_server()[1], ['timeout' => 3]))->getPidLock('p', 10),
    'pausing PidLock' => fn() => (new PidLock(dead_server()))->getPidLock('p', 10, 3, 1),
];
foreach ($calls as $name => $call) {
    $ran_at = 0;
    $messenger = new Messenger(SIGUSR1, 0.2);
    $began = microtime(true);
    try {
        $call();
    } catch (RedLock\Exception $error) {
    }
    $waited = microtime(true) - $began;
    $latency = $ran_at - $messenger->sent_at();
    echo $name, $waited > 2.5 && $latency < $latency_max ? ' in time' : sprintf(': %.3f s of %.3f s', $latency, $waited), "\n";
}
?>
--EXPECT--
waiting RedLock in time
pausing RedLock in time
waiting PidLock in time
pausing PidLock in time
