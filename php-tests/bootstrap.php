<?php

/** Prepares the suite: nothing is tested without the extension, and nothing is left running after Ctrl-C. */

declare(strict_types=1);

use RedLock\Harness\Program;

require __DIR__ . '/../harness/autoload.php';

Program::begin('php-tests', 'start them with bin/test phpunit', ['redlock', 'pcntl', 'posix']);
