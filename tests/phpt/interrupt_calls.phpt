--TEST--
An exception of an interrupt in a call that an opcode makes by itself frees nothing twice and leaves nothing
--EXTENSIONS--
redlock
pcntl
posix
--FILE--
<?php
require __DIR__ . '/interrupt.inc';

/** Each method of its kind ends in an opcode that takes long, behind which PHP looks for interrupts only in its caller. */
final class Called implements ArrayAccess, Countable, IteratorAggregate
{
    public static self $shared;
    public static array $row;
    public static bool $armed = false;
    public static int $gone = 0;
    public static array $long = [];
    public static array $other = [];
    public static mixed $result;
    private bool $is_copy = false;

    public function __get($name) { self::$armed = true; self::$result = self::$long == self::$other; return 1; }
    public function __set($name, $value) { self::$armed = true; self::$result = self::$long == self::$other; }
    public function __isset($name) { self::$armed = true; self::$result = self::$long == self::$other; return true; }
    public function __unset($name) { self::$armed = true; self::$result = self::$long == self::$other; }
    public function __toString(): string { self::$armed = true; self::$result = self::$long == self::$other; return 'text'; }
    public function __clone() { $this->is_copy = true; self::$armed = true; self::$result = self::$long == self::$other; }
    public function offsetExists(mixed $at): bool { self::$armed = true; self::$result = self::$long == self::$other; return true; }
    public function offsetGet(mixed $at): mixed { self::$armed = true; self::$result = self::$long == self::$other; return 1; }
    public function offsetSet(mixed $at, mixed $value): void { self::$armed = true; self::$result = self::$long == self::$other; }
    public function offsetUnset(mixed $at): void { self::$armed = true; self::$result = self::$long == self::$other; }
    public function count(): int { self::$armed = true; self::$result = self::$long == self::$other; return 1; }
    public function getIterator(): Iterator { $list = new ArrayIterator(); self::$armed = true; self::$result = self::$long == self::$other; return $list; }
    public function __call($name, $arguments) { return 1; }
    public static function __callStatic($name, $arguments) { return 1; }
    public function __destruct() { self::$gone += $this->is_copy ? 0 : 1; }
}
/** Known for as long as it lives, without a destructor that is interrupted itself. */
final class Argument
{
    public static WeakMap $alive;
    public function __construct() { self::$alive[$this] = true; }
}
final class Dying
{
    public function __destruct() { Called::$armed = true; Called::$result = Called::$long == Called::$other; }
}
/** What the caller's opcode frees is not the last of it, unless it is freed twice. */
function shared(): Called
{
    return Called::$shared;
}
function shared_row(): array
{
    return Called::$row;
}
/** Some milliseconds, within which signals come. */
function take_long(): void
{
    for ($count = 64, $took = 0; $took < 10e6; $count *= 2) {
        Called::$long = array_fill(0, $count, range(1, 1000));
        Called::$other = array_fill(0, $count, range(1, 1000));
        $began = hrtime(true);
        Called::$result = Called::$long == Called::$other;
        $took = hrtime(true) - $began;
    }
}
/** Another process signals this one all the time, until that is gone. */
function signal_all_the_time()
{
    [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $parent = getmypid();
    if (pcntl_fork() === 0) {
        fclose($ours);
        do {
            posix_kill($parent, SIGUSR1);
            $read = [$theirs];
        } while (stream_select($read, $write, $except, 0, 1000) === 0);
        pcntl_exec('/bin/true');
    }
    return $ours;
}

$shapes = [
    '$x = shared()->x', '$x = shared()->{shared()}', '$x = shared()?->x', '$x = isset(shared()->x)', '$x = empty(shared()->x)', '$x = shared()->x ?? 1',
    '$c->x = shared()', 'shared()->x = shared()', '$c->x .= shared()', '$c->x ??= shared()', 'unset($c->{shared()})', '[$c->x] = shared_row()',
    '$x = shared()[shared()]', '$x = $c[shared()]', '$c[shared()] = shared()', '$c[] = shared()', '$c[shared()] .= shared()', 'unset($c[shared()])',
    '$x = isset(shared()[shared()])', '$x = empty($c[shared()])', '[$x] = shared()', '["k" => $x] = shared()', '$x = shared() . shared()', '$x = "a{$f()}b{$f()}"',
    '$x = (string) shared()', '$x = shared() == "x"', '$x = "x" <=> shared()', 'echo shared()', '$x = $text . shared()', '$text .= shared()', '$x = count(shared())',
    '$x = clone shared()', 'foreach (shared() as $v) { }', '$x = [...shared()]', '$x = strlen(shared())', '$x = shared_row() . ""', '$x = $none[shared_row()[0]->x]',
    '$x = new Dying(); $x = shared()', '$row[0] = new Dying(); $row[0] = shared()', '$o->x = new Dying(); $o->x = shared()', '$x = [new Dying()]; $x = shared_row()',
    '(function () { $x = new Dying(); return shared(); })()', 'foreach ([new Dying(), 1] as $v) { $v = shared(); }', 'new Dying(); take(shared())', 'take(shared(), (bool) new Dying())',
    '$x = match (shared()) { "x" => 1, default => 2 }', 'switch (shared()) { case "x": break; }', '(function () { try { return shared(); } finally { $x = clone shared(); } })()',
];
// Before the only opcode of a call that __call() stands for.
$late = 'Called::$armed = true, Called::$long == Called::$other';
foreach (['$c->missing', 'shared()->missing', 'Called::missing', '[$c, "missing"]', '$c?->missing'] as $call) {
    array_push($shapes, "\$x = $call(new Argument(), $late)", "take(new Argument(), $call(new Argument(), [new Argument()], $late))");
}
array_push(
    $shapes,
    "\$c->outer(new Argument(), \$c->inner(new Argument(), $late))", "\$c->missing(...[new Argument()], ...[$late])",
    '$c->missing(first: new Argument(), named: Called::$armed = true, at: Called::$long == Called::$other)',
);
Called::$shared = new Called();
Called::$row = [new Called()];
Argument::$alive = new WeakMap();
set_error_handler(function (): bool {
    Called::$armed = true;
    Called::$result = Called::$long == Called::$other;
    return true;
});
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function (): void {
    if (Called::$armed) {
        Called::$armed = false;
        throw new Interrupted();
    }
});
$work = [];
foreach ($shapes as $shape) {
    $work[$shape] = eval("return function (): void { \$f = 'shared'; \$c = shared(); \$o = new stdClass(); \$text = text(); \$none = \$row = []; $shape; };");
}
take_long();
$signals = signal_all_the_time();
$wrong = 0;
foreach ($work as $shape => $run) {
    for ($i = 0; $i < 3; $i++) {
        ob_start();
        try {
            try {
                $run();
            } finally {
                Called::$armed = false;
            }
        } catch (Interrupted) {
        }
        ob_end_clean();
    }
    if (Called::$gone > 0 || count(Argument::$alive) > 0) {
        echo Called::$gone > 0 ? 'freed twice' : 'left', ": $shape\n";
        $wrong++;
        Called::$shared = new Called();
        Called::$row = [new Called()];
        Argument::$alive = new WeakMap();
        Called::$gone = 0;
    }
}
echo $wrong === 0 ? 'all' : "$wrong", " of them\n";
// At its end PHP gives signals their usual effect back, before it closes what is open: the next one would kill it.
fclose($signals);
do {
    $gone = pcntl_wait($status);
} while ($gone === -1 && pcntl_get_last_error() === PCNTL_EINTR);
?>
--EXPECT--
all of them
