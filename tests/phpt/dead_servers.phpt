--TEST--
Servers that cannot be asked are told from locks that are held, with every server's reason
--EXTENSIONS--
redlock
--INI--
pcre.jit=0
--FILE--
<?php
require __DIR__ . '/helper.inc';
[, $silent] = silent_server();
$lock = new RedLock([dead_server(), [...explode(':', $silent), 5], dead_server()], 10, 2);
$handle = ['resource' => "r\0\n", 'token' => 't'];

say(fn() => $lock->lastErrors());
say(fn() => $lock->lock(str_repeat("\xff", 100), 1000));
say(fn() => $lock->extend($handle, 1000));
say(fn() => $lock->isHeld($handle));
say(fn() => $lock->unlock($handle));
foreach ($lock->lastErrors() as $server => $reason) {
    echo preg_replace('/\d+$/', 'PORT', $server), ' => ', $reason, "\n";
}
try {
    $lock->lock(7, 1000);
} catch (RedLock\Exception $error) {
    var_dump($error instanceof RuntimeException, $error->getCode(), $error->getPrevious());
    var_dump(array_values($error->faults()), array_keys($error->faults()) === array_keys($lock->lastErrors()));
}

$pid = new PidLock($silent, ['timeout' => 0.3]);
say(fn() => $pid->getPidLock('p', 1));
say(fn() => $pid->releasePidLock('p'));
say(fn() => $pid->holdsPidLock('p'));
say(fn() => $pid->remainingPidLock('p'));
say(fn() => (new RedLock(['name.invalid'], 0, 1))->lock('r', 1000));
?>
--EXPECTF--
array (
)
RedLock\QuorumException: RedLock::lock(): no majority of 3 servers could be asked for '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff...' (needs 2, tried for %d ms): 127.0.0.1:%d: Connection refused; 127.0.0.1:%d: no answer yet; 127.0.0.1:%d: Connection refused
RedLock\QuorumException: RedLock::extend(): no majority of 3 servers could be asked for 'r\x00\x0a' (needs 2, tried for %d ms): 127.0.0.1:%d: Connection refused; 127.0.0.1:%d: no answer yet; 127.0.0.1:%d: Connection refused
RedLock\QuorumException: RedLock::isHeld(): no majority of 3 servers could be asked for 'r\x00\x0a' (needs 2, tried for %d ms): 127.0.0.1:%d: Connection refused; 127.0.0.1:%d: no answer yet; 127.0.0.1:%d: Connection refused
false
127.0.0.1:PORT => Connection refused
127.0.0.1:PORT => no answer yet
127.0.0.1:PORT => Connection refused
bool(true)
int(0)
NULL
array(3) {
  [0]=>
  string(7) "refused"
  [1]=>
  string(10) "unanswered"
  [2]=>
  string(7) "refused"
}
bool(true)
RedLock\ConnectionException: PidLock::getPidLock(): 127.0.0.1:%d could not be asked for 'lock_pid:p' (tried for %d ms): no answer (timed out after 300 ms, its timeout)
true
false
0.0
RedLock\QuorumException: RedLock::lock(): no majority of 1 server could be asked for 'r' (needs 1, tried for %d ms): name.invalid:6379: %s
