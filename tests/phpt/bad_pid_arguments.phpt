--TEST--
Times and pids that cannot be meant are refused by argument
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
$lock = new PidLock(dead_server());
foreach ([0, 0.0, -1, -INF, NAN, INF, 1e300, 3153600001, 3153600000, PHP_INT_MAX, PHP_INT_MIN, 'x', []] as $seconds) {
    say(fn() => $lock->getPidLock('p', $seconds));
}
foreach ([-1, NAN, INF, 3600.5, 1e300] as $seconds) {
    say(fn() => $lock->getPidLock('p', 1, sleep_time: $seconds));
}
foreach ([-0.5, NAN, -INF, 1e300] as $seconds) {
    say(fn() => $lock->getPidLock('p', 1, buffer_time: $seconds));
    say(fn() => $lock->releasePidLock('p', $seconds));
}
$long = str_repeat('p', 65536);
say(fn() => $lock->getPidLock($long, 1));
say(fn() => $lock->releasePidLock($long));
say(fn() => $lock->holdsPidLock($long));
say(fn() => $lock->remainingPidLock($long));
say(fn() => $lock->getPidLock('p', 1, retry_times: -1));
say(fn() => $lock->getPidLock([], 1));
say(fn() => $lock->getPidLock('p'));
echo "These reach the server:\n";
say(fn() => $lock->getPidLock('p', 1e-9));
say(fn() => $lock->getPidLock('p', '5', retry_times: 0));
say(fn() => $lock->getPidLock(7, 3153600000, 0, 0, 0));
?>
--EXPECTF--
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be greater than 0
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be greater than 0
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be greater than 0
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be greater than 0
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be a finite number of seconds
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be a finite number of seconds
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be at most 3153600000 seconds
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be at most 3153600000 seconds
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) and buffer_time must be at most 3153600000 seconds
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be at most 3153600000 seconds
ValueError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be greater than 0
TypeError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be of type int|float, string given
TypeError: PidLock::getPidLock(): Argument #2 ($lock_timeout) must be of type int|float, array given
ValueError: PidLock::getPidLock(): Argument #3 ($sleep_time) must be greater than or equal to 0
ValueError: PidLock::getPidLock(): Argument #3 ($sleep_time) must be a finite number of seconds
ValueError: PidLock::getPidLock(): Argument #3 ($sleep_time) must be a finite number of seconds
ValueError: PidLock::getPidLock(): Argument #3 ($sleep_time) must be at most 3600 seconds
ValueError: PidLock::getPidLock(): Argument #3 ($sleep_time) must be at most 3600 seconds
ValueError: PidLock::getPidLock(): Argument #5 ($buffer_time) must be greater than or equal to 0
ValueError: PidLock::releasePidLock(): Argument #2 ($buffer_time) must be greater than or equal to 0
ValueError: PidLock::getPidLock(): Argument #5 ($buffer_time) must be a finite number of seconds
ValueError: PidLock::releasePidLock(): Argument #2 ($buffer_time) must be a finite number of seconds
ValueError: PidLock::getPidLock(): Argument #5 ($buffer_time) must be a finite number of seconds
ValueError: PidLock::releasePidLock(): Argument #2 ($buffer_time) must be a finite number of seconds
ValueError: PidLock::getPidLock(): Argument #5 ($buffer_time) must be at most 3153600000 seconds
ValueError: PidLock::releasePidLock(): Argument #2 ($buffer_time) must be at most 3153600000 seconds
ValueError: PidLock::getPidLock(): Argument #1 ($pid) must give a usable key: resource must be at most 65536 bytes long
ValueError: PidLock::releasePidLock(): Argument #1 ($pid) must give a usable key: resource must be at most 65536 bytes long
ValueError: PidLock::holdsPidLock(): Argument #1 ($pid) must give a usable key: resource must be at most 65536 bytes long
0.0
ValueError: PidLock::getPidLock(): Argument #4 ($retry_times) must be greater than or equal to 0
TypeError: PidLock::getPidLock(): Argument #1 ($pid) must be of type string|int, array given
ArgumentCountError: PidLock::getPidLock() expects at least 2 arguments, 1 given
These reach the server:
RedLock\ConnectionException: PidLock::getPidLock(): 127.0.0.1:%d could not be asked for 'lock_pid:p' (tried for %d ms): Connection refused
RedLock\ConnectionException: PidLock::getPidLock(): 127.0.0.1:%d could not be asked for 'lock_pid:p' (tried for %d ms): Connection refused
RedLock\ConnectionException: PidLock::getPidLock(): 127.0.0.1:%d could not be asked for 'lock_pid:7' (tried for %d ms): Connection refused
