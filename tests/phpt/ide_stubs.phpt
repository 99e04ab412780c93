--TEST--
The stubs for IDEs have the signatures of the extension
--EXTENSIONS--
redlock
--FILE--
<?php
require __DIR__ . '/signatures.inc';
$classes = [
    'RedLock', 'PidLock', 'RedLock\Exception', 'RedLock\ConnectionException', 'RedLock\QuorumException',
    'RedLock\NotALockException', 'RedLock\LeaseLostException', 'RedLock\NotAcquiredException',
    'RedLock\KeepAliveException', 'RedLock\DeadlockException', 'RedLock\LeaseModeException',
    'RedLock\LockManagerInterface', 'RedLock\LeaseInterface',
    'RedLock\LockManager', 'RedLock\Lease', 'RedLock\Testing',
];
ob_start();
print_signatures(...$classes);
// It declares less than it takes, for the sake of subclasses.
$of_extension = str_replace('unlock(array $lock)', 'unlock(array|false $lock)', ob_get_clean());

// Two folders up, or where pecl installs documents when it installs tests.
$folders = [dirname(__DIR__, 2) . '/stubs', ...glob(dirname(__DIR__, 4) . '/doc*/redlock/stubs')];
$folders = array_values(array_filter($folders, fn($folder) => is_file("$folder/redlock.php")));
$folder = $folders[0] ?? 'no stubs';
// In a process without the extension, which would define the classes itself.
$code = sprintf(
    'require %s; require %s; require %s; require %s; require %s; extension_loaded("redlock") && die("loaded"); print_signatures(...%s);',
    var_export("$folder/redlock.php", true),
    var_export("$folder/testing.php", true),
    var_export("$folder/lease.php", true),
    var_export("$folder/lock_manager.php", true),
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
