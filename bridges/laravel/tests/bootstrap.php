<?php

/** Prepares the suite: servers and processes are those of the project's harness, and a signal leaves nothing running. */

declare(strict_types=1);

use RedLock\Harness\Program;

require __DIR__ . '/../../../harness/autoload.php';

Program::begin('bridges/laravel', 'start them with bin/test bridges', ['redlock', 'redis', 'pcntl', 'posix']);
