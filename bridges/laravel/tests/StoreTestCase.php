<?php

/** Tests of the driver share five servers per class, and an application of Laravel whose store `redlock` uses three of them. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use Composer\Autoload\ClassLoader;
use Illuminate\Cache\CacheServiceProvider;
use Illuminate\Cache\Repository;
use Illuminate\Config\Repository as Config;
use Illuminate\Container\Container;
use Illuminate\Contracts\Cache\Lock;
use Illuminate\Foundation\Application;
use RedLock\Harness\ChildProcess;
use RedLock\Laravel\RedLockServiceProvider;
use RedLock\Tests\Support\SharedFleetTestCase;

abstract class StoreTestCase extends SharedFleetTestCase
{
    protected Application $app;

    protected function setUp(): void
    {
        parent::setUp();
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'values' => 'array']);
    }

    protected function tearDown(): void
    {
        Container::setInstance(null);
        parent::tearDown();
    }

    /** @param array<string, mixed> $store the settings of the store beside its driver */
    public static function application(array $store): Application
    {
        $app = new Application();
        $app->instance('config', new Config(['cache' => [
            'default' => 'redlock',
            'prefix' => 'shop_',
            'stores' => [
                'redlock' => ['driver' => 'redlock'] + $store,
                'array' => ['driver' => 'array'],
            ],
        ]]));
        $app->register(CacheServiceProvider::class);
        $app->register(RedLockServiceProvider::class);
        $app->boot();
        return $app;
    }

    protected function cache(): Repository
    {
        return $this->app['cache']->store('redlock');
    }

    protected function lock(string $name = 'r', int $seconds = 10, ?string $owner = null): Lock
    {
        return $this->cache()->lock($name, $seconds, $owner);
    }

    /**
     * A process that finds a store of the same servers in $cache, and what it is given in $args.
     *
     * @param array<mixed> $args
     * @param array<string, mixed> $store more settings of the store
     */
    protected function process(string $code, array $args = [], array $store = []): ChildProcess
    {
        $prelude = '
            require $args["autoload"];
            $app = RedLock\Laravel\Tests\StoreTestCase::application($args["store"]);
            $cache = $app["cache"]->store("redlock");
        ';
        $autoload = dirname((new \ReflectionClass(ClassLoader::class))->getFileName(), 2) . '/autoload.php';
        $store += ['servers' => self::$fleet->specs(3), 'values' => 'array'];
        return $this->php($prelude . $code, $args + ['autoload' => $autoload, 'store' => $store]);
    }

    /** For how many milliseconds each of the three servers keeps a lock. */
    protected static function ttls(string $name = 'r'): array
    {
        return self::$fleet->each(static fn ($client): int => $client->call('PTTL', "shop_$name"), 3);
    }
}
