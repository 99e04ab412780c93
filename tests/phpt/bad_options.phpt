--TEST--
Options and retries that cannot be meant are refused by name
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
$red = [
    ['driftFactor' => -0.1], ['driftFactor' => 1], ['driftFactor' => NAN], ['driftFactor' => 'x'], ['driftFactor' => []],
    ['timeout' => -1], ['timeout' => NAN], ['timeout' => INF], ['timeout' => 3601], ['timeout' => false],
    ['clientName' => 'a b'], ['clientName' => "a\n"], ['clientName' => str_repeat('a', 257)], ['clientName' => 5],
    ['retries' => 1], ['drift_factor' => 0.1], [7], ["\0" => 1], ['prefix' => 'p'],
];
foreach ($red as $options) {
    say(fn() => new RedLock(['h'], 200, 3, $options));
}
foreach ([-1, PHP_INT_MIN, 3600001, PHP_INT_MAX] as $delay) {
    say(fn() => new RedLock(['h'], $delay));
}
$pid = [
    ['prefix' => 5], ['unit' => 'm'], ['unit' => 1], ['mixedFleet' => 1], ['mixedFleet' => null], ['timeout' => NAN],
    ['clientName' => "\0"], ['driftFactor' => 1], ['owner' => 'process'], ['owner' => true], [7],
];
foreach ($pid as $options) {
    say(fn() => new PidLock('h', $options));
}
say(fn() => new PidLock(5));
say(fn() => new PidLock(''));
say(fn() => new PidLock(['h', 0]));
say(fn() => new PidLock(['h', 'pass' => 'x']));
echo "These are taken:\n";
say(fn() => new RedLock(['h'], 0, -5, ['driftFactor' => 0, 'timeout' => 0, 'clientName' => '']));
say(fn() => new RedLock(['h'], 3600000, PHP_INT_MAX, ['driftFactor' => 0.5, 'timeout' => null]));
say(fn() => new PidLock('h', ['prefix' => '', 'unit' => 's', 'mixedFleet' => true, 'timeout' => 1, 'clientName' => 'x']));
?>
--EXPECT--
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: driftFactor must be at least 0 and less than 1
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: driftFactor must be at least 0 and less than 1
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: driftFactor must be at least 0 and less than 1
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: driftFactor must be a number
TypeError: RedLock::__construct(): Argument #4 ($options) must be valid: driftFactor must be of type int|float, array given
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: timeout must be a number of seconds between 0 and 3600
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: timeout must be a number of seconds between 0 and 3600
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: timeout must be a number of seconds between 0 and 3600
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: timeout must be a number of seconds between 0 and 3600
TypeError: RedLock::__construct(): Argument #4 ($options) must be valid: timeout must be of type int|float, bool given
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: clientName must be printable ASCII without spaces
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: clientName must be printable ASCII without spaces
ValueError: RedLock::__construct(): Argument #4 ($options) must be valid: clientName must be at most 256 bytes long
TypeError: RedLock::__construct(): Argument #4 ($options) must be valid: clientName must be of type string, int given
ValueError: RedLock::__construct(): Argument #4 ($options) must not contain the unknown option 'retries'
ValueError: RedLock::__construct(): Argument #4 ($options) must not contain the unknown option 'drift_factor'
ValueError: RedLock::__construct(): Argument #4 ($options) must not contain the unknown option 0
ValueError: RedLock::__construct(): Argument #4 ($options) must not contain the unknown option '\x00'
ValueError: RedLock::__construct(): Argument #4 ($options) must not contain the unknown option 'prefix'
ValueError: RedLock::__construct(): Argument #2 ($retryDelay) must be greater than or equal to 0
ValueError: RedLock::__construct(): Argument #2 ($retryDelay) must be greater than or equal to 0
ValueError: RedLock::__construct(): Argument #2 ($retryDelay) must be between 0 and 3600000 ms
ValueError: RedLock::__construct(): Argument #2 ($retryDelay) must be between 0 and 3600000 ms
TypeError: PidLock::__construct(): Argument #2 ($options) must be valid: prefix must be of type string, int given
ValueError: PidLock::__construct(): Argument #2 ($options) must be valid: unit must be 'ms' or 's', 'm' given
TypeError: PidLock::__construct(): Argument #2 ($options) must be valid: unit must be of type string, int given
TypeError: PidLock::__construct(): Argument #2 ($options) must be valid: mixedFleet must be of type bool, int given
TypeError: PidLock::__construct(): Argument #2 ($options) must be valid: mixedFleet must be of type bool, null given
ValueError: PidLock::__construct(): Argument #2 ($options) must be valid: timeout must be a number of seconds between 0 and 3600
ValueError: PidLock::__construct(): Argument #2 ($options) must be valid: clientName must be printable ASCII without spaces
ValueError: PidLock::__construct(): Argument #2 ($options) must be valid: driftFactor must be at least 0 and less than 1
ValueError: PidLock::__construct(): Argument #2 ($options) must be valid: owner must be 'request' or 'object', 'process' given
TypeError: PidLock::__construct(): Argument #2 ($options) must be valid: owner must be of type string, bool given
ValueError: PidLock::__construct(): Argument #2 ($options) must not contain the unknown option 0
ValueError: PidLock::__construct(): Argument #1 ($server) must be a valid server: host must be an IPv4 address of four decimal numbers, or a name
ValueError: PidLock::__construct(): Argument #1 ($server) must be a valid server: host must not be empty
ValueError: PidLock::__construct(): Argument #1 ($server) must be a valid server: port must be between 1 and 65535, 0 given
ValueError: PidLock::__construct(): Argument #1 ($server) must be a valid server: there is no server field 'pass'; valid are host, port, timeout, auth, database, tls, url, scheme, path, username, password and others that docs/operations.md lists
These are taken:
RedLock
RedLock
PidLock
