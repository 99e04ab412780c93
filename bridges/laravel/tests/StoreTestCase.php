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
use Illuminate\Redis\RedisServiceProvider;
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

    /**
     * @param array<string, mixed> $store the settings of the store beside its driver
     * @param array<string, mixed> $redis what config/database.php has of Redis, for more stores: `redis`, whose locks are beside its
     *     values, and `apart`, whose locks are on the connection `locks`
     */
    public static function application(array $store, array $redis = []): Application
    {
        $app = new Application();
        $app->instance('config', new Config(['database' => ['redis' => $redis], 'cache' => [
            'default' => 'redlock',
            'prefix' => 'shop_',
            'stores' => [
                'redlock' => ['driver' => 'redlock'] + $store,
                'array' => ['driver' => 'array'],
                'redis' => ['driver' => 'redis', 'connection' => 'cache'],
                'apart' => ['driver' => 'redis', 'connection' => 'cache', 'lock_connection' => 'locks'],
            ],
        ]]));
        $app->register(RedisServiceProvider::class);
        $app->register(CacheServiceProvider::class);
        $app->register(RedLockServiceProvider::class);
        $app->boot();
        return $app;
    }

    /**
     * What config/database.php has of Redis: each connection is to a database of a server.
     *
     * @param array<string, array<string, mixed>> $connections
     * @return array<string, mixed>
     */
    protected static function connections(string $client, array $connections, string $prefix = 'app-database-'): array
    {
        $usual = ['host' => '127.0.0.1', 'port' => (string) self::$fleet->servers[0]->port, 'database' => '0'];
        return ['client' => $client, 'options' => ['cluster' => 'redis', 'prefix' => $prefix]]
            + array_map(static fn (array $connection): array => $connection + $usual, $connections);
    }

    /** @return iterable<string, array{string}> what Laravel speaks to Redis by */
    public static function clients(): iterable
    {
        yield 'phpredis' => ['phpredis'];
        yield 'predis' => ['predis'];
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
