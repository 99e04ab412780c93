--TEST--
The settings have their defaults and refuse what cannot be meant
--EXTENSIONS--
redlock
--FILE--
<?php
foreach (ini_get_all('redlock') as $name => $entry) {
    echo $name, ' = ', $entry['global_value'], $entry['access'] === INI_ALL ? '' : ' not everywhere', "\n";
}
var_dump(ini_set('redlock.persistent', '0'), ini_get('redlock.persistent'));
foreach (['-1', '0', '3600', 'soon', '1.5', '99999999999', ''] as $seconds) {
    echo "'$seconds' ", ini_set('redlock.pool_idle_seconds', $seconds) === false ? 'refused' : 'taken', "\n";
}
var_dump(ini_get('redlock.pool_idle_seconds'));
?>
--EXPECT--
redlock.global_names = 1 not everywhere
redlock.persistent = 1
redlock.pool_idle_seconds = 60
string(1) "1"
string(1) "0"
'-1' refused
'0' taken
'3600' taken
'soon' refused
'1.5' refused
'99999999999' refused
'' refused
string(4) "3600"
