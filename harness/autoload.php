<?php

/** Finds the classes of every program in PHP that starts servers or processes: each namespace has its folder. */

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    $folders = [
        'RedLock\\Harness\\' => 'harness',
        'RedLock\\Tests\\Support\\' => 'php-tests/support',
        'RedLock\\Symfony\\Tests\\' => 'bridges/symfony/tests',
        'RedLock\\Laravel\\Tests\\' => 'bridges/laravel/tests',
        'RedLock\\PhpLock\\Tests\\' => 'bridges/php-lock/tests',
        'RedLock\\Demo\\' => 'demo',
        'RedLock\\Soak\\' => 'soak',
        'Bench\\Userland\\' => 'bench/userland',
        'Bench\\Peers\\' => 'bench/peers',
        'Bench\\' => 'bench/src',
    ];
    foreach ($folders as $prefix => $folder) {
        if (str_starts_with($class, $prefix)) {
            $path = dirname(__DIR__) . "/$folder/" . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
            if (is_file($path)) {
                require $path;
            }
            return;
        }
    }
});
