<?php

/** Finds the classes of this folder: RedLock\Tests\Support\X lives in X.php. */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $prefix = 'RedLock\\Tests\\Support\\';
    if (str_starts_with($class, $prefix)) {
        $path = __DIR__ . '/' . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
        if (is_file($path)) {
            require $path;
        }
    }
});
