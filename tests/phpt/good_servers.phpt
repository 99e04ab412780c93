--TEST--
Servers may be named in every documented form
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
$reference = 7004;
$forms = [
    [['h', 1, 0.5]], [['h', '6379', '0.5']], [['h', null, null]], [['h', 1, 0]], [['h']],
    [['host' => 'h', 'port' => 1, 'timeout' => 1, 'auth' => 'p', 'database' => 3]],
    [['host' => 'h', 'auth' => ['u', 'p']]], [['h', 'auth' => null, 'database' => '2']],
    [[2 => 0.5, 1 => 7, 0 => 'h']], [['/run/redis.sock', 0]],
    ['h'], ['h:1'], ['[::1]:7'], ['::1'], ['redis://h'], ['redis://user:p%40ss@h:7/3?timeout=0.5'], ['redis://:p@[::1]:7'],
    ['unix:///run/redis.sock?timeout=0.5&database=1'], ['/run/redis.sock'],
    ['one' => 'h:1', 'two' => ['h', 2]], [['h', &$reference]],
    array_map(fn($port) => "h:$port", range(1, 16)),
];
foreach ($forms as $servers) {
    say(fn() => new RedLock($servers));
    if (count($servers) === 1) {
        say(fn() => new PidLock($servers[0]));
    }
}
say(fn() => new PidLock());
?>
--EXPECTREGEX--
(RedLock
PidLock
){19}RedLock
RedLock
PidLock
RedLock
PidLock
