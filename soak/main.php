<?php

/** Starts a soak of so many minutes (argument 1) with a seed (2) and the extension (3), and cleans up; see bin/soak. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\Program;
use RedLock\Harness\TempFolder;

require __DIR__ . '/../harness/autoload.php';

Program::begin('soak', 'start it with bin/soak', ['redlock', 'pcntl']);

[, $minutes, $seed, $built] = $argv;
// Clients start all the time; whoever builds meanwhile must not pull the extension from under them.
$extension = TempFolder::make() . '/redlock.so';
copy($built, $extension);
printf("redlock soak: seed %d (bin/soak --minutes %d --seed %d fires the same faults)\n", $seed, $minutes, $seed);
exit((new Soak((int) $minutes, (int) $seed, $extension))->run() ? 0 : 1);
