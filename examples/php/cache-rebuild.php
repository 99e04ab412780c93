<?php

/**
 * A cache entry is out of date and many requests want it: one of them rebuilds it, the others serve the old
 * value meanwhile, and nobody waits. Where there is no value yet they wait for the first one, in line.
 */

use RedLock\LockManager;

/** Stands for your cache: here a file, because the processes of this example must share it. */
final class Cache
{
    public function __construct(private readonly string $path)
    {
    }

    /** @return ?array{value: string, fresh_until: float} */
    public function get(): ?array
    {
        $text = is_file($this->path) ? (string) file_get_contents($this->path) : '';
        return $text === '' ? null : json_decode($text, true);
    }

    public function set(string $value, float $seconds): void
    {
        $entry = ['value' => $value, 'fresh_until' => microtime(true) + $seconds];
        // Renamed, so that nobody reads a half of it.
        file_put_contents("$this->path.new", json_encode($entry));
        rename("$this->path.new", $this->path);
    }
}

/** @return array{string, string} the value, and how it came about */
function front_page(LockManager $locks, Cache $cache, string $new): array
{
    $entry = $cache->get();
    if ($entry !== null && $entry['fresh_until'] > microtime(true)) {
        return [$entry['value'], 'fresh'];
    }
    $lease = $locks->acquire('rebuild:front-page', ttl: 10_000, wait: $entry === null ? 5_000 : 0);
    if ($lease === null) {
        return $entry === null ? ['', 'too late'] : [$entry['value'], 'old'];
    }
    // Another may have rebuilt it between our look at the cache and the lock.
    $entry = $cache->get();
    if ($entry !== null && $entry['fresh_until'] > microtime(true)) {
        return [$entry['value'], 'fresh'];
    }
    usleep(1_000_000);   // the rebuild: the database is slow
    if (!$lease->isLive()) {
        return [$new, 'rebuilt, and not stored: another may be at it'];
    }
    $cache->set($new, 60);
    return [$new, 'rebuilt'];
}

$cache = new Cache((string) tempnam(sys_get_temp_dir(), 'front-page'));
$cache->set('version 1', 0);   // out of date already
$children = [];
for ($i = 0; $i < 5; $i++) {
    $child = pcntl_fork();
    if ($child === 0) {
        // Each process has a manager of its own.
        [$value, $how] = front_page(new LockManager('127.0.0.1:6379'), $cache, 'version 2');
        echo "request $i: $value ($how)\n";
        exit;
    }
    $children[] = $child;
}
foreach ($children as $child) {
    pcntl_waitpid($child, $status);
}
[$value, $how] = front_page(new LockManager('127.0.0.1:6379'), $cache, 'version 3');
echo "afterwards: $value ($how)\n";
