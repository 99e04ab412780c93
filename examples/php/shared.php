<?php

/**
 * A catalog of two files that belong together: many processes read it at once, and one that finds it out of date
 * rebuilds it while nobody reads. Without the lock readers would see a new file beside an old one.
 */

use RedLock\Lease;
use RedLock\LockManager;

const SERVERS = ['127.0.0.1:6379', '127.0.0.1:6380', '127.0.0.1:6381'];
const EDITIONS = 5;

/** The edition of both files; they differ where somebody is about to write them. @return array{int, int} */
function editions(string $dir): array
{
    return [(int) file_get_contents("$dir/goods"), (int) file_get_contents("$dir/prices")];
}

/** The next edition. */
function rebuild(string $dir): void
{
    $next = editions($dir)[0] + 1;
    file_put_contents("$dir/goods", $next);
    usleep(5_000);   // here a reader would see two editions
    file_put_contents("$dir/prices", $next);
}

/** Reads the catalog; who reads alone rebuilds it. False: it was torn. */
function visit(Lease $lease, string $dir): bool
{
    [$goods, $prices] = editions($dir);
    usleep(2_000);   // the page is rendered
    if ($goods === $prices && $goods < EDITIONS && $lease->promote()) {
        rebuild($dir);
        $lease->demote();   // others read along from here on
    }
    return $goods === $prices && $lease->isLive();
}

/** Starts a process that visits the catalog until the last edition is there. */
function visitor(string $dir): int
{
    $process = pcntl_fork();
    if ($process !== 0) {
        return $process;
    }
    $locks = new LockManager(SERVERS);
    for ($visits = 0, $whole = true; editions($dir)[1] < EDITIONS; ++$visits) {
        $lease = $locks->acquireShared('catalog', ttl: 10_000, wait: 30_000);
        $whole = $whole && $lease !== null && visit($lease, $dir);
        $lease?->release();
        usleep(random_int(1_000, 10_000));
    }
    echo "$visits visits\n";
    exit($whole ? 0 : 1);
}

$dir = sys_get_temp_dir() . '/catalog-' . bin2hex(random_bytes(6));
mkdir($dir);
file_put_contents("$dir/goods", 1);
file_put_contents("$dir/prices", 1);
$processes = array_map(static fn (): int => visitor($dir), range(1, 4));
$ended = 0;
foreach ($processes as $process) {
    pcntl_waitpid($process, $status);
    $ended += $status === 0 ? 1 : 0;
}
$last = editions($dir);
array_map(unlink(...), ["$dir/goods", "$dir/prices"]);
rmdir($dir);
echo "$ended readers saw whole editions only; the last one is $last[0]\n";
exit($ended === 4 && $last === [EDITIONS, EDITIONS] ? 0 : 1);
