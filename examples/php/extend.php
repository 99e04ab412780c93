<?php

/** Prolongs a lock while long work goes on, and stops when it is lost. */

$redLock = new RedLock([['127.0.0.1', 6379]]);
$lock = $redLock->lock('report', 2_000);

for ($step = 1; $lock && $step <= 5; ++$step) {
    usleep(500_000);
    // A lock that cannot be prolonged may be somebody else's by now.
    $lock = $redLock->extend($lock, 2_000);
    echo $lock ? "step $step done, still ours\n" : "lost at step $step\n";
}
$lock && $redLock->unlock($lock);
