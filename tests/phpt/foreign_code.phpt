--TEST--
What arrays refer to may change while code of others runs in the midst: callables, options, fields of servers, handles
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';

// Texts of their own, which PHP frees with the last reference.
function fresh(string $text): string
{
    return implode('', str_split($text, 2));
}
final class Work
{
    public string $name = 'work';
    public function run(): string { return $this->name; }
    public function __call($method, $arguments) { return "$method of $this->name"; }
    public function inside(): string
    {
        return get_class(new RedLock\LockManager('h', ['onEvent' => fresh('self::run')]));
    }
}
final class Name
{
    public function __toString(): string
    {
        forget();
        return 'of an object';
    }
}
$held = [];
function forget(): void
{
    foreach ($GLOBALS['held'] as &$value) {
        $value = null;
        $GLOBALS['others'][] = fresh(str_repeat('-', 24));
    }
}
function all_by_reference(array $values): array
{
    $GLOBALS['held'] = [];
    foreach ($values as $name => $value) {
        $GLOBALS['held'][$name] = is_string($value) ? fresh($value) : $value;
        $values[$name] = &$GLOBALS['held'][$name];
    }
    return $values;
}
spl_autoload_register(function (string $class): void {
    forget();
    eval("final class $class { public static function told(): void {} }");
});
set_error_handler(function (int $code, string $text): bool {
    echo "($text)\n";
    forget();
    return true;
});
$unheard = fn(array $options) => new RedLock\LockManager('h', $options);

echo "-- onEvent\n";
say(fn() => $unheard(all_by_reference(['onEvent' => 'Seen1::told'])));
say(fn() => $unheard(all_by_reference(['onEvent' => [fresh('Seen2'), fresh('told')]])));
say(fn() => $unheard(['onEvent' => all_by_reference([fresh('Seen3'), 'told'])]));
say(fn() => $unheard(['onEvent' => all_by_reference([fresh('Seen4'), 'none'])]));
say(fn() => (new Work())->inside());

echo "-- options beside it, and servers\n";
foreach ([
    'timeout' => '1.5', 'driftFactor' => '0.01', 'clientName' => 'somebody', 'retryDelay' => '200', 'line' => true,
    'keepAliveMax' => '5000',
] as $option => $value) {
    say(fn() => $unheard(all_by_reference([$option => $value, 'onEvent' => fresh("Of{$option}::told")])));
}
foreach ([
    'host' => 'tls://h', 'port' => '6379', 'timeout' => '1.5', 'auth' => 'secret', 'password' => 'secret',
    'username' => 'somebody', 'database' => '1', 'dbindex' => '1', 'tls' => 'true', 'ssl' => ['verify_peer' => true],
    'context' => ['stream' => ['verify_peer' => true]], 'options' => ['port' => 1], 'url' => 'redis://h',
    'scheme' => 'tls', 'path' => '/h.sock',
] as $field => $value) {
    $server = all_by_reference([$field => $value]) + ['host' => 'h'];
    say(fn() => new RedLock\LockManager([&$server], ['onEvent' => fresh("Of{$field}::told")]));
}

echo "-- the function of synchronized()\n";
$locks = new RedLock\LockManager(dead_server(), ['timeout' => 1]);
$work = fn() => all_by_reference([new Work(), 'run']);
say(fn() => $locks->synchronized('r', $work(), 1000.5, 0));
say(fn() => $locks->synchronized(new Name(), $work(), 1000, 0));
say(fn() => $locks->synchronized('r', all_by_reference([fresh('Seen5'), 'told']), 1000, 0));
say(fn() => $locks->synchronized('r', 'nothing', 1000, 0));

echo "-- handles\n";
$handle = fn() => all_by_reference(['resource' => 'r', 'token' => str_repeat('t', 40), 'validity' => 100.0]);
$names = fn($lease) => strlen($lease->handle()['token']);
say(fn() => $names($locks->attach($handle(), all_by_reference(['ttl' => '1000', 'atEnd' => 'keep']))));
say(fn() => (new RedLock(['h']))->extend($handle(), 1000.5));
?>
--EXPECTF--
-- onEvent
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: onEvent must be a callable or null: class Seen4 does not have a method "none"
(Use of "self" in callables is deprecated)
'RedLock\\LockManager'
-- options beside it, and servers
RedLock\LockManager
RedLock\LockManager
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: clientName must be of type string, null given
RedLock\LockManager
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: line must be of type bool, null given
RedLock\LockManager
ValueError: RedLock\LockManager::__construct(): Argument #1 ($servers) must contain valid servers: server 1: host is missing
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
RedLock\LockManager
-- the function of synchronized()
(Implicit conversion from float 1000.5 to int loses precision)
TypeError: RedLock\LockManager::synchronized(): Argument #2 ($critical) must be a valid callback, first array member is not a valid class name or object
TypeError: RedLock\LockManager::synchronized(): Argument #2 ($critical) must be a valid callback, first array member is not a valid class name or object
RedLock\QuorumException: RedLock\LockManager::synchronized(): no majority of 1 server could be asked for 'r' (needs 1, tried for %d ms): 127.0.0.1:%d: Connection refused
TypeError: RedLock\LockManager::synchronized(): Argument #2 ($critical) must be a valid callback, function "nothing" not found or invalid function name
-- handles
40
(Implicit conversion from float 1000.5 to int loses precision)
TypeError: RedLock::extend(): Argument #1 ($lock) must have a string or int under "resource", null given
