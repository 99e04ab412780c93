--TEST--
phpinfo() shows versions, connections and settings, and no server or secret
--EXTENSIONS--
redlock
--INI--
pcre.jit=0
--FILE--
<?php
require __DIR__ . '/helper.inc';
[$socket, $address] = silent_server();
$lock = new RedLock(["redis://someuser:Secret1@$address"], 0, 1, ['clientName' => 'myclient']);
say(fn() => $lock->unlock(['resource' => 'r', 'token' => 'Token1']));
ob_start();
phpinfo(INFO_MODULES);
$info = ob_get_clean();
preg_match('/^redlock\n.*?^redlock\.pool_idle_seconds.*?$/ms', $info, $section);
echo $section[0], "\n";
// The extension's own path would look like a foreign library.
echo preg_match('~^hiredis code \(running\) => (linked in|\S*/libhiredis\S*)$~m', $info) ? "told\n" : "not told\n";
foreach (['Secret1', 'someuser', 'Token1', 'myclient', $address] as $hidden) {
    echo strpos($info, $hidden) === false ? "hidden\n" : "shown: $hidden\n";
}
?>
--EXPECTF--
false
redlock

redlock support => enabled
Version => 0.1.0
hiredis version (built) => %d.%d.%d
hiredis code (running) => %s
c-ares version => %d.%d.%d
TLS => %s
Open connections of this thread => %d
Listening connections of this thread => 0
Servers in this process => none
Leases: acquired => 0
Leases: denied => 0
Leases: timedOut => 0
Leases: unreachable => 0
Leases: extended => 0
Leases: lost => 0
Leases: released => 0
Leases: handedOver => 0
Leases: undone => 0
Requests to servers => 1
Errors of servers => %d
Connections opened => 1

Directive => Local Value => Master Value
redlock.global_names => On => On
redlock.persistent => On => On
redlock.pool_idle_seconds => 60 => 60
told
hidden
hidden
hidden
hidden
hidden
