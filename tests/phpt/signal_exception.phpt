--TEST--
An exception thrown by a signal handler leaves the call, which undoes what it began
--EXTENSIONS--
redlock
pcntl
--INI--
pcre.jit=0
--FILE--
<?php
require __DIR__ . '/helper.inc';
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, fn() => throw new DomainException('from the handler'));

[$socket, $address] = silent_server();
$lock = new RedLock([$address], 0, 1, ['timeout' => 20]);
$began = microtime(true);
$messenger = new Messenger(SIGUSR1, 0.2);
say(fn() => $lock->lock('resource', 10000));
echo microtime(true) - $began < 15 ? "soon\n" : "late\n";

[, $heard] = heard_by($socket);
[$taken, $removed] = taken_and_removed($heard);
echo $taken, ' taken, ', $removed, is_undone($heard) ? " removed behind that\n" : " removed\n";
preg_match('/resource\r\n\$\d+\r\n(\w+)\r\n/', $heard, $token);
echo substr_count($heard, $token[1]), " times the token\n";

[, $address] = silent_server();
$pid = new PidLock($address, ['timeout' => 20]);
$messenger = new Messenger(SIGUSR1, 0.2);
say(fn() => $pid->getPidLock('p', 10));
say(fn() => $pid->remainingPidLock('p'));
echo microtime(true) - $began < 30 ? "soon\n" : "late\n";
?>
--EXPECT--
DomainException: from the handler
soon
1 taken, 1 removed behind that
2 times the token
DomainException: from the handler
0.0
soon
