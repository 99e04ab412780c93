<?php

/**
 * Prints the composer.json of a project that requires a bridge of this tree, and what the bridge's tests require.
 *
 * usage: php bridges/project.php BRIDGE
 *
 * REDLOCK_PACKAGES: a folder with packages, one in each of its folders, for what the registry lacks.
 */

declare(strict_types=1);

$bridge = __DIR__ . '/' . ($argv[1] ?? '');
$package = json_decode((string) file_get_contents("$bridge/composer.json"), true, 16, JSON_THROW_ON_ERROR);
$repositories = [['type' => 'path', 'url' => $bridge]];
$packages = getenv('REDLOCK_PACKAGES');
if ($packages !== false && $packages !== '') {
    $repositories[] = ['type' => 'path', 'url' => realpath($packages) . '/*', 'options' => ['symlink' => false]];
}
echo json_encode([
    'repositories' => $repositories,
    'require' => [$package['name'] => '*@dev'] + $package['require-dev'],
    'config' => ['allow-plugins' => false],
], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR), "\n";
