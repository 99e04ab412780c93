--TEST--
An exception of an interrupt loses no operand of what it comes before
--EXTENSIONS--
redlock
pcntl
posix
--FILE--
<?php
require __DIR__ . '/interrupt.inc';
// Before every kind of opcode, whose operands are values that have to be freed. None of them comes to be run.
$operators = ['+', '-', '*', '/', '%', '**', '.', '<<', '>>', '|', '&', '^', 'xor', '==', '!=', '===', '!==', '<', '<=', '<=>', '&&'];
$shapes = ['$x = text() && KILL || row()', '$y = null; $y ?? KILL', '$x = (text() === 1) ?: KILL'];
foreach ($operators as $operator) {
    array_push($shapes, "\$x = text() $operator KILL", "\$x = row() $operator KILL", "\$x = KILL $operator text()", "\$y = text(); \$y $operator KILL");
}
foreach (['+', '-', '*', '/', '%', '**', '.', '<<', '>>', '|', '&', '^', '??'] as $operator) {
    array_push($shapes, "\$row[text()] $operator= KILL", "\$object->{text()} $operator= KILL", "\$z = null; \$z $operator= KILL", "Kept::\$shared $operator= KILL");
}
array_push(
    $shapes,
    '$x = -KILL', '$x = ~KILL', '$x = !KILL', '$x = (int) KILL', '$x = (string) KILL', '$x = (array) KILL', '$x = (bool) KILL',
    '$x = clone KILL', 'print KILL', 'echo KILL', 'throw KILL', 'include KILL', 'eval(KILL)', 'return KILL', 'return !KILL',
    '$x = KILL[0]', '$x = row()[KILL]', '$x = KILL[text()]', '$x = KILL->a', '$x = (new Kept())->{KILL}', '$x = KILL?->a',
    '$x = isset(row()[KILL])', '$x = empty(row()[KILL])', '$x = isset((new Kept())->{KILL})', '$x = empty(KILL)', '$x = isset(${KILL})',
    '$x = isset(KILL[0])', '$x = isset(KILL->a)', '$x = ${KILL}', '${KILL} = new Kept()', '${text()} = KILL', 'unset($row[KILL])',
    'unset($object->{KILL})', 'unset(${KILL})', '$row[KILL] = new Kept()', '$row[text()] = KILL', '$row[] = KILL', '$row[text()][] = KILL',
    '$object->{text()} = KILL', '$object->{KILL} = new Kept()', '$object->list[text()] = KILL', '$object->self()->list[] = KILL',
    '$object->self()->other = KILL', '(new Kept())->self()->other = KILL', 'KILL->x = 1', 'KILL->x->y = text()', 'KILL->x++', '--KILL->x',
    'KILL->x .= text()', '$row[KILL]++', '++$object->{KILL}', '$object->{KILL}--', '[$x, $y] = KILL', '["a" => $x] = KILL',
    '[$x, [$y]] = [row(), KILL]', 'foreach (KILL as $r) { take($r); }', 'foreach (KILL as $key => $r) { take($r); }',
    'foreach (KILL as &$r) { take($r); }', 'foreach ([row()] as [$a, $b]) { $x = $a . KILL; }', 'foreach (row() as $row[text()]) { KILL; }',
    'foreach (row() as $r) { foreach (row() as $q) { return KILL; } }', 'foreach (row() as $r) { foreach (row() as $q) { KILL; continue 2; } }',
    'foreach (new ArrayIterator(row()) as $r) { return KILL; }', 'foreach (row() as &$r) { return KILL; }', 'foreach (row() as &$r) { KILL; }',
    'foreach ((fn () => yield from row())() as $r) { take(KILL); }', 'foreach ((fn () => yield text() => KILL)() as $r) { take(KILL); }',
    'foreach ((fn () => yield KILL => text())() as $r) { take($r); }', 'foreach ((fn () => yield from KILL)() as $r) { take($r); }',
    'foreach ((function () { yield 1; return KILL; })() as $r) { take($r); }',
    'foreach ((function () { foreach (row() as $r) { yield 1; return KILL; } })() as $r) { take($r); }',
    '(function (): array { return KILL; })()', '(function (): iterable { foreach (row() as $r) { return KILL; } })()',
    '(function &() { return KILL; })()', '(function &() { foreach (row() as $r) { return KILL; } })()', '(function () { switch (text()) { default: return KILL; } })()',
    '(function () { try { return row(); } finally { KILL; } })()', '(function () { try { throw new Exception(text()); } finally { KILL; } })()',
    '(function () { try { return row(); } finally { try { throw new Exception(text()); } finally { KILL; } } })()',
    '(function () { try { return row(); } finally { return KILL; } })()', '(function () { try { foreach (row() as $r) { return KILL; } } finally { take(1); } })()',
    '(function () { foreach (row() as $r) { try { return row(); } finally { KILL; } } })()',
    '(function () { try { return row(); } finally { try { ring(); } finally { take(1); } } })()',
    'try { throw new Exception(text()); } catch (Exception $e) { take($e, KILL); }', 'try { KILL; } catch (LogicException) { take(1); }',
    '$x = KILL ?: 1', '$x = 1 ? KILL : 2', '$x = KILL instanceof Kept', '(KILL)()', 'new (KILL)', '(KILL)::$shared', '(KILL)::$shared = text()',
    '$x = (KILL)::class', '$x = (KILL)::X', '$o = "Kept"; $o::$shared = KILL', '$o = "Kept"; $o::$shared .= KILL', '$o = "Kept"; new $o(KILL)',
    '$o = "Kept"; $o::${KILL}', 'Kept::${KILL}', 'isset(Kept::${KILL})', 'Kept::${KILL}++', 'Kept::${text()} = KILL', '$object->{KILL}()',
    '(new Kept())->{KILL}()', 'Kept::{KILL}()', '$x = strlen(KILL)', '$x = count(KILL)', '$x = in_array(KILL, ["a", "b"], true)', '$x = gettype(KILL)',
    '$x = array_key_exists(KILL, row())', '$x = array_key_exists(text(), KILL)', '$x = get_class(KILL)', '$x = is_string(KILL)', '$x = intval(KILL)',
    '$x = match (KILL) { 7 => 1, default => 2 }', '$x = match (text()) { KILL => 1, default => 2 }', '$x = match (true) { KILL => text(), default => 2 }',
    '$x = match (KILL) { "a" => 1, "b" => 2, "c" => 3 }', 'switch (text()) { case KILL: break; case "a": take(1); }', 'switch (KILL) { case 1: case 2: case 3: case 4: case 5: take(1); }',
    'switch (KILL) { case "a": case "b": case "c": case "d": case "e": case "f": case "g": case "h": take(1); }',
    '$x = @KILL', '@KILL', '$x = @take(@KILL)', '$x = @$row[KILL]', '$x = [KILL => text()]', '$x = [text() => KILL]', '$x = [text() => 1, KILL => text()]',
    '$x = [...KILL]', '$x = [text(), ...KILL]', 'take(...KILL)', 'take(text(), ...KILL)', 'call_user_func_array("take", KILL)', 'call_user_func("take", KILL)',
    'call_user_func_array("take", array_slice(KILL, 1))', 'call_user_func_array(KILL, row())', 'call_user_func(KILL, text())', 'by_reference(KILL)', '$f(KILL)', '$f(KILL[0])', '$f(row()[KILL])',
    '$x = "{$row[1]}{$k(getmypid(), SIGUSR1)}"', '$x = "a{$row[1]}b{$m("posix_kill", [getmypid()], [SIGUSR1])}"', '$x = "{$m("posix_kill", [getmypid()], [SIGUSR1])}{$row[1]}"',
    '$x = "{$row[1]}{$m("posix_kill", [getmypid()], [SIGUSR1])}{$row[1]}"', '$x = "{$row[1]} {$row[1]}" . KILL', '$x = text() . "{$row[1]}{$k(getmypid(), SIGUSR1)}"',
    'while (KILL) { break; }', 'for (; KILL;) { break; }', 'do { take(1); } while (KILL)', 'if (!KILL) { take(1); }', '$x = &by_reference(KILL)', '$x = [&$row, KILL]',
    'static $t = []; $t[] = KILL', 'global $g; $g = KILL', '$x = new class(KILL) { public function __construct(public mixed $x) {} }', '$x = fn () => KILL; $x()',
    '$x = (function () use ($row) { return KILL; })()', '$x = $object?->with(row(), KILL)?->with(KILL)', '$x = $object->with(...)(KILL)',
    '$x = (function (int $a, mixed ...$rest) { return KILL; })(1, row(), text())', '$x = (function () { return func_get_args(KILL); })(row())', 'first(first: text(), second: KILL)',
    '$x = $row[KILL] ?? row()', '$row[text()] ??= KILL', '$row[KILL] ??= row()', '$object->{KILL} ??= text()', '$x = [$row[text()] ?? KILL, row()]', 'list(, $x) = [text(), KILL]',
);
$prompter = prompter();
interrupt_all($shapes, 'posix_kill(' . getmypid() . ', SIGUSR1)');
interrupt_all($shapes, 'fgets(asked())');
?>
--EXPECT--
all interrupted
all interrupted
