<?php

/** Who is measured: for each framework its own Redis store on one server, and the bridge on one and on three. */

declare(strict_types=1);

namespace RedLock\Bridges\Bench;

use Illuminate\Cache\RedisStore as LaravelRedisStore;
use Illuminate\Container\Container;
use Illuminate\Contracts\Cache\LockProvider;
use Illuminate\Redis\RedisManager;
use Malkusch\Lock\Mutex\Mutex;
use Malkusch\Lock\Mutex\RedisMutex;
use RedLock\Laravel\RedLockStore as LaravelRedLockStore;
use RedLock\LockManager;
use RedLock\PhpLock\RedLockMutex;
use RedLock\Symfony\RedLockStore;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Store\RedisStore;

final class Contenders
{
    /** In seconds; no turn is to outlast it. */
    private const TTL = 30;

    /** @return array<string, array{int, callable(list<int>): \Closure(callable): void}> how many servers, and from their ports what takes a turn */
    public static function of(string $bridge): array
    {
        [$own, $ours, $turns] = match ($bridge) {
            'symfony' => ['RedisStore', 'RedLockStore', self::symfony(...)],
            'laravel' => ['redis', 'redlock', self::laravel(...)],
            'php-lock' => ['RedisMutex', 'RedLockMutex', self::phpLock(...)],
        };
        return [
            "`$own`, 1 server" => [1, static fn (array $ports): \Closure => $turns($ports, true)],
            "`$ours`, 1 server" => [1, static fn (array $ports): \Closure => $turns($ports, false)],
            "`$ours`, 3 servers" => [3, static fn (array $ports): \Closure => $turns($ports, false)],
        ];
    }

    /** @param list<int> $ports */
    private static function symfony(array $ports, bool $own): \Closure
    {
        /** @var PersistingStoreInterface $store */
        $store = $own ? new RedisStore(self::redis($ports[0]), self::TTL) : new RedLockStore(self::locks($ports), self::TTL);
        $factory = new LockFactory($store);
        return static function (callable $inside) use ($factory): void {
            $lock = $factory->createLock('r', self::TTL);
            $lock->acquire(true);
            $inside();
            $lock->release();
        };
    }

    /** @param list<int> $ports */
    private static function laravel(array $ports, bool $own): \Closure
    {
        $connection = ['host' => '127.0.0.1', 'port' => $ports[0]];
        /** @var LockProvider $store */
        $store = $own
            ? new LaravelRedisStore(new RedisManager(new Container(), 'phpredis', ['default' => $connection]))
            : new LaravelRedLockStore(self::locks($ports));
        return static function (callable $inside) use ($store): void {
            $store->lock('r', self::TTL)->block(3600, $inside);
        };
    }

    /** @param list<int> $ports */
    private static function phpLock(array $ports, bool $own): \Closure
    {
        /** @var Mutex $mutex */
        $mutex = $own
            ? new RedisMutex(self::redis($ports[0]), 'r', 3600, self::TTL)
            : new RedLockMutex(self::locks($ports), 'r', 3600, self::TTL);
        return static function (callable $inside) use ($mutex): void {
            $mutex->synchronized($inside);
        };
    }

    private static function redis(int $port): \Redis
    {
        $redis = new \Redis();
        $redis->connect('127.0.0.1', $port);
        return $redis;
    }

    /** @param list<int> $ports */
    private static function locks(array $ports): LockManager
    {
        return new LockManager(array_map(static fn (int $port): array => ['127.0.0.1', $port, 0.5], $ports));
    }
}
