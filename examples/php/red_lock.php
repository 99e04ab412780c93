<?php

/** Takes a quorum lock, does the work within its validity, and gives it back. */

$redLock = new RedLock([
    ['127.0.0.1', 6379],
    // In production: three or five independent servers, each with a timeout in seconds if 0.25 does not fit.
]);

$lock = $redLock->lock('invoices', 10_000);
if ($lock === false) {
    exit("somebody else is at it\n");
}
try {
    printf("%.0f ms to work on '%s'\n", $lock['validity'], $lock['resource']);
} finally {
    $redLock->unlock($lock);
}
