--TEST--
An exception of an interrupt, thrown behind any built-in function, frees what there is and loses nothing
--EXTENSIONS--
redlock
pcntl
posix
--FILE--
<?php
require __DIR__ . '/interrupt.inc';
$shapes = [
    'take(KILL)', 'take(new Kept(), KILL)', 'take(KILL, new Kept())', 'take(row(), take(new Kept(), KILL), row())',
    'first(second: KILL)', 'first(new Kept(), second: KILL)', 'first(KILL, second: new Kept())', 'take(...[KILL])',
    'take(new Kept(), ...[new Kept(), KILL])', 'call_user_func("take", new Kept(), KILL)',
    'call_user_func_array("take", [new Kept(), KILL])', '(fn(...$v) => take(...$v))(new Kept(), KILL)',
    '$f = "take"; $f(new Kept(), KILL)', 'new Kept(new Kept(), KILL)', '(new Kept())->with(new Kept(), KILL)->with(KILL)',
    '$x = "a$row[1]b{$f(KILL)}c"', '$x = "$row[1]b$row[1]" . KILL', '$g = "ring"; $x = "{$g()}b{$row[1]}"', '$x = "a{$row[1]}b{$s(KILL)}"',
    '$x = "{$s(KILL)}{$row[1]}"', '$i = 0; KILL; $x = @$row[5]', '$x = @take(KILL)', '$x = [new Kept(), KILL]',
    '$x = [new Kept(), "a" => KILL, "b" => new Kept()]', '$x = [...row(), KILL]', '$object->list[] = KILL',
    '$object->other = KILL ? new Kept() : null', 'Kept::$shared = KILL', '$x = new Kept(KILL ? new Kept() : 1)',
    'take(new Kept(), KILL ? new Kept() : 1)', '$x = (KILL ? null : 1) ?? new Kept()', 'foreach (row() as $r) { take($r, KILL); }',
    'foreach ((function () { yield new Kept(); yield KILL; })() as $r) { take($r); }',
    '(function () { foreach (row() as $r) { return KILL; } })()', '(function () { foreach (row() as $r) { return new Kept(KILL); } })()',
    '(function () { try { return take(new Kept(), KILL); } finally { take(new Kept()); } })()',
    'switch (KILL) { case 7: break; default: $x = new Kept(); }', '$x = match (KILL) { 7 => 1, default => new Kept() }',
    'if (KILL) { $x = new Kept(); }', '$x = !KILL', '$x = KILL && new Kept()', '$x = new Kept() && KILL', '$x = clone (KILL ? $object : $object)',
    'take(new Kept(), trim(str_repeat(KILL ? " a " : "b", 30)))', 'echo KILL ? "" : "x"', 'take(new Kept(), $object?->with(KILL))',
    '$n = 0; while (take(new Kept(), KILL)) { if (++$n > 2) break; }', 'for ($n = 0; $n < 2; $n++) { take(new Kept(), KILL); }',
    'list($x, $y) = [KILL, new Kept()]', '$fiber = new Fiber(fn() => take(new Kept(), KILL)); $fiber->start()',
    '(function () { yield take(new Kept(), KILL); })()->current()', 'array_map(fn($v) => take(new Kept(), KILL), [1])',
    'take(array_map("take", [new Kept()]), usort($GLOBALS["u"], fn($a, $b) => KILL), new Kept())', 'static $t = 1; $t = KILL',
];
$u = [1, 2];
interrupt_all($shapes, 'posix_kill(' . getmypid() . ', SIGUSR1)');
?>
--EXPECT--
all interrupted
