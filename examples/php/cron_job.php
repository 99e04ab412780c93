<?php

/** A job that several machines start, and one runs: its lease is kept alive for as long as it takes. */

use RedLock\LockManager;
use RedLock\NotAcquiredException;

$locks = new LockManager('127.0.0.1:6379');

try {
    $rows = $locks->synchronized('nightly-report', function () {
        usleep(1_500_000);   // a query that takes longer than the ttl, in which PHP can do nothing
        return 4711;
    }, ttl: 500, wait: 0);
    echo "reported $rows rows\n";
} catch (NotAcquiredException) {
    echo "another machine is at it\n";
}
