--TEST--
The option onEvent is a callable or null, of LockManager alone, and what it throws changes nothing
--EXTENSIONS--
redlock
--INI--
log_errors=0
display_errors=1
html_errors=0
--FILE--
<?php
require __DIR__ . '/helper.inc';
final class Told
{
    public static function hidden() {}
    private function own() {}
    public function inside() { return new RedLock\LockManager('h', ['onEvent' => [$this, 'own']]); }
}
foreach ([1, true, 1.5, 'no_such_function', [], ['Told', 'none'], [new Told(), 'own'], new stdClass()] as $bad) {
    say(fn() => new RedLock\LockManager('h', ['onEvent' => $bad]));
}
foreach ([null, 'strlen', 'Told::hidden', ['Told', 'hidden'], fn() => 1] as $good) {
    say(fn() => (bool) new RedLock\LockManager('h', ['onEvent' => $good]));
}
say(fn() => (bool) (new Told())->inside());
say(fn() => new RedLock\LockManager('h', ['onevent' => null]));
say(fn() => new RedLock\LockManager('h', ['onEvent' => 'strlen', 'line' => 1]));
say(fn() => new RedLock(['h'], 200, 3, ['onEvent' => null]));

$address = dead_server();
set_error_handler(fn() => throw new ErrorException('of a warning'));
$told = [];
$locks = new RedLock\LockManager($address, ['onEvent' => function (string $event, array $facts) use (&$told) {
    $told[] = [$event, $facts['resource'], $facts['faults'], $facts['held']];
    throw new LogicException('the logger is broken');
}]);
try {
    $none = $locks->acquire('r', 1000);
} catch (RedLock\QuorumException $exception) {
    echo get_class($exception), ' ', var_export($exception->getPrevious(), true), "\n";
}
echo str_replace($address, 'server', json_encode($told)), "\n";

// In a method of an object a class's name stands for it; nobody else has it.
final class Teller
{
    public function __construct(private string $name) {}
    public function __destruct() { echo "$this->name is gone\n"; }
    public function __call($method, $arguments) { echo "$method of $this->name: $arguments[0]\n"; }
    public function told(string $event) { echo "$this->name: $event\n"; }
    public function managers(string $address): array
    {
        return array_map(fn($callable) => new RedLock\LockManager($address, ['onEvent' => $callable]), [[self::class, 'told'], 'Teller::told', [self::class, 'unknown']]);
    }
}
$managers = (new Teller(str_repeat('teller', 3)))->managers($address);
foreach ($managers as $locks) {
    try {
        $none = $locks->acquire('r', 1000);
    } catch (RedLock\QuorumException) {
    }
}
unset($locks, $managers);
?>
--EXPECTF--
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: onEvent must be a callable or null: no array or string given
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: onEvent must be a callable or null: no array or string given
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: onEvent must be a callable or null: no array or string given
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: onEvent must be a callable or null: function "no_such_function" not found or invalid function name
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: onEvent must be a callable or null: array callback must have exactly two members
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: onEvent must be a callable or null: class Told does not have a method "none"
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: onEvent must be a callable or null: cannot access private method Told::own()
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: onEvent must be a callable or null: no array or string given
true
true
true
true
true
true
ValueError: RedLock\LockManager::__construct(): Argument #2 ($options) must not contain the unknown option 'onevent'
TypeError: RedLock\LockManager::__construct(): Argument #2 ($options) must be valid: line must be of type bool, int given
ValueError: RedLock::__construct(): Argument #4 ($options) must not contain the unknown option 'onEvent'

Warning: RedLock\LockManager: onEvent threw LogicException: the logger is broken, in %sevent_option.php:%d in Unknown on line 0
RedLock\QuorumException NULL
[["unreachable","r",{"server":"refused"},null]]
tellertellerteller: unreachable
tellertellerteller: unreachable
unknown of tellertellerteller: unreachable
tellertellerteller is gone
