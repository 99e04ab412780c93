<?php

/**
 * Eight workers call a service that stands three calls at a time: each waits for one of three permits. The number of its
 * slot is no other holder's, so it may stand for something of which there are three, such as a device.
 */

use RedLock\LockManager;

const SERVERS = ['127.0.0.1:6379', '127.0.0.1:6380', '127.0.0.1:6381'];
const PERMITS = 3;
const WORKERS = 8;
const CALLS = 5;

/** Calls the service with a permit. The file stands for the device: nobody else has it open. */
function call(LockManager $locks, string $folder): void
{
    $permit = $locks->acquirePermit('service', PERMITS, ttl: 10_000, wait: 30_000)
        ?? throw new RuntimeException('no permit was free for 30 seconds');
    $slot = (int) substr($permit->resource, strrpos($permit->resource, ':') + 1);
    $device = fopen("$folder/$slot", 'x') ?: throw new RuntimeException("two workers have slot $slot");
    usleep(10_000);
    fclose($device);
    unlink("$folder/$slot");
    $permit->release();
}

function worker(string $folder): int
{
    $process = pcntl_fork();
    if ($process !== 0) {
        return $process;
    }
    $locks = new LockManager(SERVERS);
    for ($i = 0; $i < CALLS; ++$i) {
        call($locks, $folder);
    }
    exit(0);
}

$folder = sys_get_temp_dir() . '/permits-' . bin2hex(random_bytes(6));
mkdir($folder);
$processes = array_map(static fn (): int => worker($folder), range(1, WORKERS));
$ended = 0;
foreach ($processes as $process) {
    pcntl_waitpid($process, $status);
    $ended += $status === 0 ? 1 : 0;
}
$left = glob("$folder/*");
array_map(unlink(...), $left);
rmdir($folder);
echo "$ended workers made ", $ended * CALLS, " calls\n";
exit($ended === WORKERS && $left === [] ? 0 : 1);
