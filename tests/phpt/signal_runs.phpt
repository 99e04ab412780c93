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

// A call waits much longer than the signal needs; usual latency: 2 ms.
$waits = under_valgrind() ? 6 : 1;
$latency_max = under_valgrind() ? 4 : 0.05;
$calls = [
    'waiting RedLock' => fn() => (new RedLock([silent_server()[1]], 0, 1, ['timeout' => $waits]))->lock('r', 10000),
    'pausing RedLock' => fn() => (new RedLock([dead_server()], 2000 * $waits, 2))->lock('r', 10000),
    'waiting PidLock' => fn() => (new PidLock(silent_server()[1], ['timeout' => $waits]))->getPidLock('p', 10),
    'pausing PidLock' => fn() => (new PidLock(dead_server()))->getPidLock('p', 10, $waits, 1),
];
$measure = function (callable $call) use (&$ran_at, $waits): float {
    $ran_at = INF;
    $messenger = new Messenger(SIGUSR1, 0.2);
    $began = microtime(true);
    try {
        $call();
    } catch (RedLock\Exception $error) {
    }
    return microtime(true) - $began > 0.9 * $waits ? $ran_at - $messenger->sent_at() : INF;
};
foreach ($calls as $name => $call) {
    // On a busy machine one try may be late for reasons of its own; three are not.
    for ($try = 1, $latency = INF; $try <= 3 && $latency > $latency_max; ++$try) {
        $latency = $measure($call);
    }
    echo $name, $latency <= $latency_max ? ' in time' : sprintf(' %.3f s late', $latency), "\n";
}
?>
--EXPECT--
waiting RedLock in time
pausing RedLock in time
waiting PidLock in time
pausing PidLock in time
