<?php

/** Tests of the store share five servers per class, and use three of them. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use Composer\Autoload\ClassLoader;
use RedLock\Harness\ChildProcess;
use RedLock\LockManager;
use RedLock\Symfony\RedLockStore;
use RedLock\Tests\Support\SharedFleetTestCase;
use Symfony\Component\Lock\Key;

abstract class StoreTestCase extends SharedFleetTestCase
{
    protected static function store(float $initialTtl = 300.0): RedLockStore
    {
        return new RedLockStore(new LockManager(self::$fleet->specs(3)), $initialTtl);
    }

    protected static function saved(RedLockStore $store, string $resource = 'r'): Key
    {
        $key = new Key($resource);
        $store->save($key);
        return $key;
    }

    /**
     * A process that finds a store of the same servers in $store, and what it is given in $args.
     *
     * @param array<mixed> $args
     */
    protected function process(string $code, array $args = [], float $initialTtl = 300.0): ChildProcess
    {
        $prelude = '
            require $args["autoload"];
            $store = new RedLock\Symfony\RedLockStore($args["servers"], $args["initial_ttl"]);
        ';
        $args += ['autoload' => self::autoload(), 'servers' => self::$fleet->specs(3), 'initial_ttl' => $initialTtl];
        return $this->php($prelude . $code, $args);
    }

    /** For how many milliseconds each of the three servers keeps the lock. */
    protected static function ttls(string $resource = 'r'): array
    {
        return self::$fleet->each(static fn ($client): int => $client->call('PTTL', $resource), 3);
    }

    private static function autoload(): string
    {
        return dirname((new \ReflectionClass(ClassLoader::class))->getFileName(), 2) . '/autoload.php';
    }
}
