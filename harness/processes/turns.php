<?php

/** The process of one worker that takes turns: argument 1 is its plan as JSON; see Turns. */

declare(strict_types=1);

use RedLock\Harness\Turns;

require __DIR__ . '/../autoload.php';

(new Turns(json_decode($argv[1], true, 32, JSON_THROW_ON_ERROR)))->run();
