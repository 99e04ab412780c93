<?php

// Loads the classes of the bench by name: Bench\Userland\X from userland/, Bench\X from src/.

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Bench\\')) {
        return;
    }
    $path = str_replace('\\', '/', substr($class, strlen('Bench\\')));
    $file = str_starts_with($path, 'Userland/')
        ? __DIR__ . '/userland/' . substr($path, strlen('Userland/')) . '.php'
        : __DIR__ . "/src/$path.php";
    if (is_file($file)) {
        require $file;
    }
});
