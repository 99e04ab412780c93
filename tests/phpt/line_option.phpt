--TEST--
The option line is a bool, of LockManager alone, and a wait is not negative
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
foreach ([1, 0, null, 'yes', 1.0, []] as $line) {
    say(fn() => new RedLock\LockManager('h', ['line' => $line]));
}
say(fn() => new RedLock\LockManager('h', ['Line' => true]));
say(fn() => new RedLock(['h'], 200, 3, ['line' => true]));
say(fn() => new PidLock('h', ['line' => true]));
$address = dead_server();
foreach ([true, false] as $line) {
    $locks = new RedLock\LockManager($address, ['line' => $line]);
    say(fn() => $locks->acquire('r', 1000, -1));
    say(fn() => $locks->acquire('r', 1000, PHP_INT_MIN));
    say(fn() => $locks->acquire('r', 0, 1000));
    say(fn() => $locks->acquire('r', 2, 1000));
    say(fn() => $locks->acquire(str_repeat('r', 65537), 1000, 1000));
    say(fn() => $locks->acquire('r', 1000, 1000, ['line' => true]));
    say(fn() => $locks->acquire('r', 1000, 1000, ['owner' => str_repeat('o', 257)]));
    say(fn() => $locks->lastErrors() === []);
}
?>
--EXPECT--
