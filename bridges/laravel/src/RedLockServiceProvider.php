<?php

/** Gives Laravel's cache the driver `redlock`. Laravel finds this class by itself. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Contracts\Cache\Repository;
use Illuminate\Contracts\Cache\Store;
use Illuminate\Contracts\Container\Container;
use Illuminate\Support\ServiceProvider;
use RedLock\LockManager;

/**
 * A store of config/cache.php with this driver has
 *  - servers: a list as LockManager takes it, or one string with commas, as from an environment variable;
 *  - values: the name of another store, where values are cached. Without it the store has locks only;
 *  - forever: for how many seconds a lock without an expiry outlives its process, by default a day;
 *  - options: those of LockManager;
 *  - prefix: as in every other store.
 */
final class RedLockServiceProvider extends ServiceProvider
{
    private const SECONDS_FOREVER = 86_400;

    /** A hundred years: a lock without an expiry is kept alive for as long as its process lives. */
    private const KEEP_ALIVE_MS_MAX = 3_153_600_000_000;

    public function register(): void
    {
        $this->callAfterResolving('cache', static function (CacheManager $cache): void {
            // Not static, because Laravel binds it to the manager.
            $cache->extend('redlock', fn (Container $app, #[\SensitiveParameter] array $config): Repository
                => RedLockServiceProvider::repository($cache, $app, $config));
        });
    }

    /**
     * @internal
     * @param array<string, mixed> $config
     */
    public static function repository(CacheManager $cache, Container $app, #[\SensitiveParameter] array $config): Repository
    {
        $forever = $config['forever'] ?? self::SECONDS_FOREVER;
        // As it comes from the environment.
        $forever = is_string($forever) ? filter_var($forever, \FILTER_VALIDATE_INT) : $forever;
        if (!is_int($forever) || $forever <= 0) {
            throw new \InvalidArgumentException("The redlock store's [forever] must be a whole number of seconds, more than 0.");
        }
        $prefix = (string) ($config['prefix'] ?? $app['config']['cache.prefix'] ?? '');
        $store = new RedLockStore(self::locks($config), $prefix, self::values($cache, $app, $config), $forever);
        return $cache->repository($store, $config);
    }

    /** @param array<string, mixed> $config */
    private static function locks(#[\SensitiveParameter] array $config): LockManager
    {
        $servers = $config['servers'] ?? null;
        if (!is_array($servers) && (!is_string($servers) || trim($servers) === '')) {
            throw new \InvalidArgumentException("The redlock store's [servers] must be a list of servers, or a string of them with commas.");
        }
        $options = $config['options'] ?? [];
        if (!is_array($options)) {
            throw new \InvalidArgumentException("The redlock store's [options] must be those of RedLock\LockManager.");
        }
        $servers = is_string($servers) ? array_map(trim(...), explode(',', $servers)) : $servers;
        return new LockManager($servers, $options + ['keepAliveMax' => self::KEEP_ALIVE_MS_MAX]);
    }

    /** @param array<string, mixed> $config */
    private static function values(CacheManager $cache, Container $app, #[\SensitiveParameter] array $config): ?Store
    {
        $name = $config['values'] ?? null;
        if ($name === null) {
            return null;
        }
        if (($app['config']["cache.stores.$name.driver"] ?? null) === 'redlock') {
            throw new \InvalidArgumentException("The redlock store's [values] must name a store of another driver, not [$name].");
        }
        return $cache->store($name)->getStore();
    }
}
