<?php

/**
 * Loses leases in the midst of random code, as often as $args say, and reports how many losses interrupted it and which of
 * them left objects behind. For PhpProcess.
 */

/** Known for as long as it lives. Opcodes call its methods, behind which an interrupt comes in the midst of them. */
final class Kept implements ArrayAccess
{
    public static WeakMap $alive;
    public ?object $other = null;
    public function __construct(mixed ...$values) { self::$alive[$this] = true; }
    public function with(mixed ...$values): static { return $this; }
    public function __get(string $name): mixed { return [$name, str_repeat("g", 3)]; }
    public function __set(string $name, mixed $value): void { take($name, $value); }
    public function __call(string $name, array $arguments): mixed { return $arguments; }
    public function __toString(): string { return str_repeat("t", 3); }
    public function offsetExists(mixed $at): bool { return true; }
    public function offsetGet(mixed $at): mixed { return [$at]; }
    public function offsetSet(mixed $at, mixed $value): void { }
    public function offsetUnset(mixed $at): void { }
}
function take(mixed ...$values): int { return count($values); }
function same(mixed $first = null, mixed $second = null): mixed { return $first; }
function generated(mixed $value): iterable { yield $value; yield trim(" y "); return $value; }
function in_fiber(mixed $value): mixed
{
    $fiber = new Fiber(function (mixed $value): mixed { take(Fiber::suspend(trim(" f ")), $value); return $value; });
    $fiber->start($value);
    $fiber->resume(new Kept());
    return $fiber->getReturn();
}
function expression(int $depth): string
{
    $inner = fn () => expression($depth - 1);
    if ($depth === 0) {
        return ['trim(" x ")', 'str_repeat("x", 3)', 'new Kept()', '$row', 'strlen("abc")', 'array_sum([1, 2])', '$object'][mt_rand(0, 6)];
    }
    $shapes = ['take(%s, %s)', 'new Kept(%s, %s)', '"a{$s(take(%s))}b{$s(trim(" x "))}" . take(%s)', '[%s, "k" => %s]', '(%s ?: %s)',
        '(take(%s) ? %s : 1)', 'same(%s, second: %s)', '(new Kept(%s))->with(%s)', 'take(...generated(%s), ...[%s])', 'in_fiber(%s) ?? %s',
        'array_map(fn ($v) => take($v, trim(" m ")), [%s, %s])', '(function () use ($row, $s, $object) { foreach ([%s, 2] as $v) { return %s; } })()',
        'call_user_func("take", %s, %s)', 'same(@take(%s), match (take(%s)) { 7 => 1, default => trim(" d ") })',
        '(function () use ($row, $s, $object) { try { return %s; } finally { take(%s); } })()', 'preg_replace_callback("/x/", fn ($m) => $m[0] . take(%s, %s), "x y x")',
        '[(new Kept(%s))["k"], (new Kept(%s))->k]', '$object->missing(%s, %s)', '($object[take(%s)] = %s)', '($object->{take(%s)} = %s)', '"$object{$s(take(%s))}" . new Kept(%s)'];
    return sprintf($shapes[mt_rand(0, count($shapes) - 1)], $inner(), $inner());
}
Kept::$alive = new WeakMap();
mt_srand($args["seed"]);
$code = "<?php return [";
for ($i = 0; $i < 60; $i++) {
    $code .= "function () { \$s = \"same\"; \$row = [new Kept(), \"r\"]; \$object = new Kept(); \$object->other = (object) [" . expression(3) . "]; },\n";
}
// A file, so that opcache and its compiler have a part in it where they are on.
$file = $args["folder"] . "/work.php";
file_put_contents($file, $code . "];");
$work = require $file;
$told = [];
$locks = new RedLock\LockManager($args["servers"], ["onEvent" => function (string $event, array $facts) use (&$told, $args): void {
    $told[$event] = ($told[$event] ?? 0) + 1;
    if ($event === "lost" && $told[$event] === $args["ends_at"]) { report($told); exit(0); }
}]);
$interrupted = 0;
$left = [];
while ($interrupted < $args["losses"]) {
    try {
        $lease = $locks->acquire("r", 15, 1_000, ["interrupt" => true]);
        for ($until = hrtime(true) + 5e9; $lease !== null && hrtime(true) < $until;) { $work[mt_rand(0, 59)](); }
    } catch (RedLock\LeaseLostException) {
        ++$interrupted;
    }
    unset($lease);
    gc_collect_cycles();
    if (count(Kept::$alive) !== 0) { $left[] = $interrupted; Kept::$alive = new WeakMap(); }
}
report([$interrupted, $left]);
