<?php

/** A PidLock for the time in which other processes still run copied getPidLock() code. */

$pidLock = new PidLock('127.0.0.1:6379', [
    'prefix' => 'lock_pid:',  // as in the code that is being replaced
    'mixedFleet' => true,     // releases although an old process has overwritten our stamp; remove it after the upgrade
]);

echo $pidLock->getPidLock('nightly-import', 10), "\n";
var_dump($pidLock->holdsPidLock('nightly-import'));
$pidLock->releasePidLock('nightly-import');
