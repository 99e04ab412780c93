<?php

/** What every thread does in a request: takes both locks in turn, and counts how often it was not alone. */

declare(strict_types=1);

const TURNS = 25;
const PATIENCE = 20_000;

[, $wave, $thread, $request] = $argv;
$specs = json_decode((string) getenv('REDLOCK_SPECS'), true);
$turns = 0;
$overlaps = 0;

// A moment inside. Each lock excludes its own kind and has a room of its own.
$visit = static function (int $room) use (&$turns, &$overlaps): void {
    $overlaps += (int) (inside($room, 1) !== 1);
    usleep(random_int(0, 500));
    $overlaps += (int) (inside($room, -1) !== 0);
    $turns++;
};

$redLock = new RedLock($specs, 4, PATIENCE);
for ($turn = 0; $turn < TURNS; $turn++) {
    $lock = $redLock->lock('turn', 30_000);
    if ($lock !== false) {
        $visit(0);
        $redLock->unlock($lock);
    }
}

$pidLock = new PidLock($specs[0]);
for ($turn = 0; $turn < TURNS; $turn++) {
    if ($pidLock->getPidLock('turn', 30, 0.004, PATIENCE) === 1) {
        $visit(1);
        $pidLock->releasePidLock('turn');
    }
}

// In one write: others say theirs meanwhile.
echo json_encode(['turns' => $turns, 'overlaps' => $overlaps]) . "\n";
