--TEST--
What objects keep is let go of when no weak reference leads to them any more
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/helper.inc';
final class Last
{
    public ?WeakReference $of = null;
    public function __destruct()
    {
        $found = $this->of->get();
        echo $found === null ? 'gone' : 'found ' . get_class($found), "\n";
        $GLOBALS['found'] = $found;
    }
}
class WithMore extends RedLock
{
    public ?Last $more = null;
}
class WithMorePids extends PidLock
{
    public ?Last $more = null;
}
function let_go(callable $make): void
{
    $last = new Last();
    $object = $make($last);
    $last->of = WeakReference::create($object);
    unset($last, $object);
}
let_go(function (Last $last) {
    $object = new WithMore(['h']);
    $object->more = $last;
    return $object;
});
let_go(function (Last $last) {
    $object = new WithMorePids();
    $object->more = $last;
    return $object;
});
$manager = fn(Last $last) => new RedLock\LockManager(dead_server(), ['onEvent' => function () use ($last) {}]);
let_go($manager);
let_go(fn(Last $last) => $manager($last)->attach(['resource' => 'r', 'token' => 't', 'validity' => 0]));
?>
--EXPECT--
gone
gone
gone
gone
