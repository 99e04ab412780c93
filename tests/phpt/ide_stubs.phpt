--TEST--
The stubs for IDEs have the signatures of the extension
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/signatures.inc';
$classes = [
    'RedLock', 'RedLock\RedLock', 'PidLock', 'RedLock\PidLock', 'RedLock\Exception', 'RedLock\ConnectionException',
    'RedLock\QuorumException', 'RedLock\NotALockException',
];
ob_start();
print_signatures(...$classes);
$of_extension = ob_get_clean();

// Two folders up, or where pecl installs documents when it installs tests.
$stubs = [dirname(__DIR__, 2) . '/stubs/redlock.php', ...glob(dirname(__DIR__, 4) . '/doc*/redlock/stubs/redlock.php')];
$stubs = array_values(array_filter($stubs, is_file(...)));
// In a process without the extension, which would define the classes itself.
$code = sprintf(
    'require %s; require %s; extension_loaded("redlock") && die("loaded"); print_signatures(...%s);',
    var_export($stubs[0] ?? 'no stubs', true),
    var_export(__DIR__ . '/signatures.inc', true),
    var_export($classes, true)
);
$of_stubs = shell_exec(escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -r ' . escapeshellarg($code));

if ($of_stubs === $of_extension && substr_count($of_extension, "\n") > 20) {
    echo "same\n";
} else {
    echo "extension:\n$of_extension\nstubs:\n$of_stubs";
}
?>
--EXPECT--
same
