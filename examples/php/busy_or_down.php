<?php

/** Tells "somebody else holds it" from "the servers are down". */

$redLock = new RedLock(['redis://127.0.0.1:6379?timeout=0.2', 'redis://127.0.0.1:6380', 'redis://127.0.0.1:6381']);

try {
    $lock = $redLock->lock('invoices', 10_000);
    echo $lock ? "ours\n" : "busy: try again later\n";
    $lock && $redLock->unlock($lock);
} catch (RedLock\QuorumException $exception) {
    echo "down: ", $exception->getMessage(), "\n";
}
foreach ($redLock->lastErrors() as $server => $reason) {
    echo "$server: $reason\n";
}
