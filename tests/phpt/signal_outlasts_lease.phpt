--TEST--
A lock whose lease a signal handler outlasted is not handed out, and is undone
--EXTENSIONS--
redlock
pcntl
--INI--
pcre.jit=0
--FILE--
<?php
require __DIR__ . '/helper.inc';
pcntl_async_signals(true);
[$socket, $address] = silent_server();
$lock = new RedLock([[...explode(':', $address), 20]], 0, 1);
$ttl_ms = under_valgrind() ? 10000 : 1000;

pcntl_signal(SIGUSR1, function () use ($socket, $lock, $ttl_ms) {
    [$connection] = heard_by($socket);
    fwrite($connection, "+OK\r\n");
    reply_to_next_script($connection, ":1\r\n");
    // The inner call reads the outer one's answer too: that lock is decided now.
    say(fn() => $lock->isHeld(['resource' => 'inner', 'token' => 't']));
    usleep($ttl_ms * 1000);
    $GLOBALS['kept'] = $connection;
});
$messenger = new Messenger(SIGUSR1, 0.1);
say(fn() => $lock->lock('outer', $ttl_ms));
say(fn() => str_replace($ttl_ms, 'TTL', $lock->lastErrors()));
stream_set_blocking($kept, false);
for ($heard = '', $deadline = microtime(true) + 5; !str_contains($heard, 'EVAL') && microtime(true) < $deadline;) {
    $heard .= fread($kept, 65536);
}
echo preg_match('/EVAL.*outer/s', $heard) ? "undone\n" : "not undone: $heard\n";
?>
--EXPECT--
true
false
array (
  'lock' => 'won, but signal handlers took too long for a ttl of TTL ms',
)
undone
