<?php

// One process that is told when to ask for a lock and when to give it back: `waiter.php KIND PORTS TTL_MS RESOURCE`
// answers `take` and `give` on standard input with one line of JSON each: when it had done so, in ns.

declare(strict_types=1);

namespace Bench;

require __DIR__ . '/../harness/autoload.php';

[, $kind, $ports, $ttlMs, $resource] = $argv;
$servers = array_map(static fn (string $port) => "127.0.0.1:$port", explode(',', $ports));
$locks = new \RedLock\LockManager($servers, ['line' => $kind === 'line']);
// The connections are there before it counts.
$locks->acquire('bench:warm:' . getmypid())?->release();
echo json_encode(['ready' => true]), "\n";
$lease = null;
while (($line = fgets(STDIN)) !== false) {
    if (trim($line) === 'take') {
        $lease = $locks->acquire($resource, (int) $ttlMs, null);
        echo json_encode(['held_ns' => hrtime(true)]), "\n";
    } else {
        $done = hrtime(true);
        $lease?->release();
        echo json_encode(['done_ns' => $done]), "\n";
    }
}
