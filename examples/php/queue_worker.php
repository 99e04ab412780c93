<?php

/** A worker that extends its lease while it works, and hands the lease over to the worker that goes on. */

use RedLock\LockManager;

$locks = new LockManager('127.0.0.1:6379');

// The first worker.
$lease = $locks->acquire('order-42', ttl: 2_000, wait: 1_000) ?? exit("order 42 is busy\n");
foreach (['reserve', 'charge'] as $step) {
    usleep(300_000);
    $lease->extend() || exit("the lease was lost at step $step\n");
    printf("%s: %s\n", $step, $lease->remaining() > 1_000 ? 'more than a second left' : 'hurry');
}
// From here on the lease is not this object's any more: nothing releases it when the variable goes.
$message = json_encode($lease->detach(), JSON_THROW_ON_ERROR);
unset($lease);

// The second worker, maybe on another machine: it makes sure that the lease is still good, and goes on.
$lease = $locks->attach(json_decode($message, true), ['ttl' => 2_000]);
$lease->extend() || exit("the lease was lost on the way\n");
echo $lease->release() ? "shipped, and released\n" : "shipped, and the lease was over by then\n";
