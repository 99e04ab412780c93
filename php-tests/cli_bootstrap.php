<?php

/** Prepares the tests of the command line: nothing is tested without the program, and nothing is left running. */

declare(strict_types=1);

use RedLock\Harness\Program;

require __DIR__ . '/../harness/autoload.php';

if (!is_executable((string) getenv('REDLOCK_CLI'))) {
    fwrite(STDERR, "php-tests: REDLOCK_CLI does not name the program redlock; start them with bin/test cli\n");
    exit(1);
}
Program::begin('php-tests', 'start them with bin/test cli', ['pcntl', 'posix']);
