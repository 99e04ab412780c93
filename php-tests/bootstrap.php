<?php

/** Prepares the suite: nothing is tested without the extension, and nothing is left running after Ctrl-C. */

declare(strict_types=1);

use RedLock\Tests\Support\ChildProcess;

require __DIR__ . '/support/autoload.php';

if (!extension_loaded('redlock')) {
    fwrite(STDERR, "The extension redlock is not loaded. Run:\n"
        . "  php -d extension=/path/to/redlock.so \$(command -v phpunit) -c php-tests/phpunit.xml\n");
    exit(1);
}
foreach (['pcntl', 'posix'] as $needed) {
    if (!extension_loaded($needed)) {
        fwrite(STDERR, "The extension $needed, which these tests need, is not loaded.\n");
        exit(1);
    }
}

pcntl_async_signals(true);
foreach ([SIGINT, SIGTERM] as $signal) {
    pcntl_signal($signal, static function (int $signal): never {
        ChildProcess::endAll();
        exit(128 + $signal);
    });
}
