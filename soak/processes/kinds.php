<?php

/** The process of one client of all kinds of locks: argument 1 is its plan as JSON; see KindTurns. */

declare(strict_types=1);

use RedLock\Soak\KindTurns;

require __DIR__ . '/../../harness/autoload.php';

(new KindTurns(json_decode($argv[1], true, 32, JSON_THROW_ON_ERROR)))->run();
