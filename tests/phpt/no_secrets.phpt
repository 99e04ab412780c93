--TEST--
Credentials appear in no dump, message or trace
--EXTENSIONS--
redlock
--INI--
zend.exception_ignore_args=0
--FILE--
<?php
require __DIR__ . '/helper.inc';

$dead = dead_server();
[$host, $port] = explode(':', $dead);
final class Record
{
    public static string $text = '';
    public static array $servers = [];

    public static function of(callable $call): void
    {
        ob_start();
        try {
            $result = $call();
            var_dump($result);
            print_r($result);
            var_export($result);
            echo json_encode((array) $result);
        } catch (Throwable $error) {
            echo $error, "\n";
            var_dump($error->getTrace());
        }
        self::$text .= ob_get_clean();
    }
}

$red = new RedLock([[$host, $port, 'auth' => ['user', 'Secret1']], "redis://:Secret1@localhost:1"], 0, 1);
$pid = new PidLock("redis://user:Secret1@$dead");
foreach ([$red, $pid] as $object) {
    Record::of(fn() => $object);
}
Record::of(fn() => $red->lock('r', 1000));
Record::of(fn() => $red->lastErrors());
Record::of(fn() => $pid->getPidLock('p', 1));
$broken = [
    [[$host, $port, 'auth' => 'Secret1', 'database' => -1]],
    [[$host, 0, 'auth' => ['user', 'Secret1']]],
    [[$host, 'auth' => ['pass' => 'Secret1', 'x' => 'y']]],
    [[$host, 'auth' => ['Secret1' => 'x', 'y', 'z']]],
    [[$host, 'auth' => ['Secret1', 5]]],
    ['redis://user:Secret1@host:0/'],
    ['redis://user:Secret1%zz@host/'],
    ['redis://user:Secret1@host/x'],
    ['redis://user:Secret1@host/?timeout=x'],
    ['redis://user:Secret1@host/?password=Secret1'],
    ['ssh://user:Secret1@host/'],
    ['redis://user:Secret1@/0'],
    ['user:Secret1@host:6379'],
    ['unix://:Secret1@relative'],
    ['redis://user:Secret1@' . $dead, 'redis://other:Secret1@' . $dead],
];
foreach ($broken as Record::$servers) {
    Record::of(static fn() => (new RedLock(Record::$servers, 0, 1))->lock('r', 1000));
    Record::of(static fn() => (new PidLock(Record::$servers[0]))->getPidLock('p', 1));
}
echo strpos(Record::$text, 'Secret1') === false ? "no secret\n" : Record::$text;
echo substr_count(Record::$text, 'SensitiveParameterValue') > 20 ? "arguments were redacted\n" : Record::$text;
?>
--EXPECT--
no secret
arguments were redacted
