<?php

/** Locks in one process and unlocks in another: a handle is plain data. */

$redLock = new RedLock([['127.0.0.1', 6379]]);
$message = json_encode($redLock->lock('order-42', 60_000), JSON_THROW_ON_ERROR);

// $message goes through a queue; the worker that gets it finishes the job.
$lock = json_decode($message, true);
if (is_array($lock) && $redLock->isHeld($lock)) {
    echo "finishing order 42\n";
    var_dump($redLock->unlock($lock));
}
