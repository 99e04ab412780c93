<?php

/** Locks in one process and unlocks in another: a handle is plain data. */

$redLock = new RedLock([['127.0.0.1', 6379]]);
$message = json_encode($redLock->lock('order-42', 60_000), JSON_THROW_ON_ERROR);

// $message goes through a queue. Time passes there, so its validity says nothing to the worker that gets it: the worker
// extends the lock, which fails when it is somebody else's by now, and has 60 seconds from here.
$lock = json_decode($message, true);
$lock = $lock ? $redLock->extend($lock, 60_000) : false;
if ($lock) {
    printf("finishing order 42, %.0f ms left\n", $lock['validity']);
    var_dump($redLock->unlock($lock));
} else {
    echo "the lock was lost on the way\n";
}
