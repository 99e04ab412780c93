--TEST--
Servers that cannot be meant are refused by position and field
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
$cases = [
    [],
    [[]], [['']], ["h\0x"], ['a b'], [str_repeat('h', 256)], [[7]], [['port' => 1]],
    [['h', 0]], [['h', 70000]], [['h', -1]], [['h', 'x']], [['h', '80x']], [['h', 1.5]], ['h:0'], ['h:70000'], ['h:'],
    [['h', 1, -1]], [['h', 1, NAN]], [['h', 1, INF]], [['h', 1, 3601]], [['h', 1, 'soon']], [['h', 1, []]],
    [['h', 1, 1, 1]], [['host' => 'h', 'prot' => 1]], [['h', 'host' => 'h']], [['h', "\0\xff" => 1]], [['h', -1 => 1]],
    [['h', 'auth' => 1]], [['h', 'auth' => []]], [['h', 'auth' => ['x' => 'p']]], [['h', 'auth' => ['u', null]]],
    [['h', 'auth' => ['user', '']]], [['h', 'auth' => str_repeat('p', 4097)]],
    [['h', 'database' => -1]], [['h', 'database' => 1000001]], [['h', 'database' => 'x']], [['h', 'database' => true]],
    ['h', 5], ['h', null], ['h', new stdClass()],
    ['h', ['H', 6379]], ['localhost:7', ['127.0.0.1', 7]], ['redis://a@h/1', 'redis://b@h/2'], ['/a', 'unix:///a'],
    ['http://h'], ['redis://'], ['unix://x'], ['redis://h/x'], ['redis://h/?t=1'], ['redis://[::1'], ['u:p@h'], [['u@h']], [['ssh://h']],
    array_map(fn($port) => "h:$port", range(1, 17)),
];
foreach ($cases as $servers) {
    say(fn() => new RedLock($servers));
}
say(fn() => new RedLock('h:0'));
say(fn() => new RedLock('h, h:0'));
say(fn() => new RedLock(new stdClass()));
say(fn() => new RedLock());
?>
--EXPECT--
ValueError: RedLock::__construct(): Argument #1 ($servers) must not be empty
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host is missing
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host must not be empty
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host must not contain spaces or control characters
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host must not contain spaces or control characters
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host must be at most 255 bytes long
TypeError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host must be of type string, int given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host is missing
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be between 1 and 65535, 0 given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be between 1 and 65535, 70000 given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be between 1 and 65535, -1 given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be a whole number
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be a whole number
TypeError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be of type int, float given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be between 1 and 65535, 0 given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be between 1 and 65535, 70000 given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be a number between 1 and 65535
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: timeout must be a number of seconds between 0 and 3600
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: timeout must be a number of seconds between 0 and 3600
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: timeout must be a number of seconds between 0 and 3600
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: timeout must be a number of seconds between 0 and 3600
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: timeout must be a number
TypeError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: timeout must be of type int|float, array given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: there is no server field 3; valid are host, port, timeout, auth, database, tls, url, scheme, path, username, password and others that docs/operations.md lists
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: there is no server field 'prot'; valid are host, port, timeout, auth, database, tls, url, scheme, path, username, password and others that docs/operations.md lists
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host is given twice
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: there is no server field '\x00\xff'; valid are host, port, timeout, auth, database, tls, url, scheme, path, username, password and others that docs/operations.md lists
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: there is no server field -1; valid are host, port, timeout, auth, database, tls, url, scheme, path, username, password and others that docs/operations.md lists
TypeError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: auth must be a password or an array [user, password]
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: auth must be a password or an array [user, password]
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: auth must be a password or an array [user, password]
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: a user needs a password
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: a user needs a password
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: password must be at most 4096 bytes long
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: database must be between 0 and 1000000, -1 given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: database must be between 0 and 1000000, 1000001 given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: database must be a whole number
TypeError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: database must be of type int, bool given
TypeError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 2: a server must be of type array or string, int given
TypeError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 2: a server must be of type array or string, null given
TypeError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 2: a server must be of type array or string, stdClass given
ValueError: RedLock::__construct(): Argument #1 ($servers) must name distinct servers: server 2 is the same as server 1: H:6379
ValueError: RedLock::__construct(): Argument #1 ($servers) must name distinct servers: server 2 is the same as server 1: 127.0.0.1:7
ValueError: RedLock::__construct(): Argument #1 ($servers) must name distinct servers: server 2 is the same as server 1: h:6379
ValueError: RedLock::__construct(): Argument #1 ($servers) must name distinct servers: server 2 is the same as server 1: unix:///a
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: the scheme must be redis, rediss, valkey, valkeys, tcp, tls, unix or memory
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host must not be empty
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: unix:// must be followed by an absolute path
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: database must be a number between 0 and 1000000
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: there is no URL parameter 't'; only these may stand behind '?': timeout, connectTimeout, database, dbindex, auth, username, password, host[...] and ssl[...]
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: an address in brackets must end with ']'
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: port must be a number between 1 and 65535
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host must not contain '@' or '/'
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 1: the scheme must be redis, rediss, valkey, valkeys, tcp, tls, unix or memory
ValueError: RedLock::__construct(): Argument #1 ($servers) must be at most 16, 17 given
ValueError: RedLock::__construct(): Argument #1 ($servers) must be a valid server: port must be between 1 and 65535, 0 given
ValueError: RedLock::__construct(): Argument #1 ($servers) must contain valid servers: server 2: port must be between 1 and 65535, 0 given
TypeError: RedLock::__construct(): Argument #1 ($servers) must be of type array|string, stdClass given
ArgumentCountError: RedLock::__construct() expects at least 1 argument, 0 given
