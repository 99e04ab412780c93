<?php

/** The timestamp lock: one server, times in seconds, 1 or 0. */

$pidLock = new PidLock('127.0.0.1:6379');

// For 10 s; up to 20 further attempts, 0.1 s apart.
if ($pidLock->getPidLock('nightly-import', lock_timeout: 10, sleep_time: 0.1, retry_times: 20)) {
    printf("importing, %.1f s left\n", $pidLock->remainingPidLock('nightly-import'));
    $pidLock->releasePidLock('nightly-import');
} else {
    echo "another import is running\n";
}
