<?php

/** Gives Laravel's cache the driver `redlock`, and its container the LockManager. Laravel finds this class by itself. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Cache\Repository as CacheRepository;
use Illuminate\Contracts\Cache\Repository;
use Illuminate\Contracts\Container\Container;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Queue\Events\Looping;
use Illuminate\Support\ServiceProvider;
use RedLock\LockManager;
use RedLock\LockManagerInterface;

/**
 * A store of config/cache.php with this driver has
 *  - servers: a list as LockManager takes it, or one string with commas, as from an environment variable;
 *  - values: the name of another store, where values are cached. Without it the store has locks only;
 *  - forever: for how many seconds a lock without an expiry outlives its process, by default a day;
 *  - options: those of LockManager;
 *  - cancel_waits: true ends the wait of a queue worker's job when the worker is told to stop, by default false;
 *  - prefix: as in every other store;
 *  - compatible_with: the name of a store of Laravel's driver redis: both exclude each other's locks. It gives the prefix, and
 *    the server where none are named.
 */
final class RedLockServiceProvider extends ServiceProvider
{
    /** A hundred years: a lock without an expiry is kept alive for as long as its process lives. */
    private const KEEP_ALIVE_MS_MAX = 3_153_600_000_000;

    public function register(): void
    {
        $this->callAfterResolving('cache', static function (CacheManager $cache): void {
            // Not static, because Laravel binds it to the manager.
            $cache->extend('redlock', fn (Container $app, #[\SensitiveParameter] array $config): Repository
                => RedLockServiceProvider::repository($cache, $app, $config));
        });
        $this->app->singleton(LockManager::class, static fn (Container $app): LockManager => self::locks($app));
        $this->app->alias(LockManager::class, LockManagerInterface::class);
    }

    public function boot(): void
    {
        $this->callAfterResolving('events', function (Dispatcher $events): void {
            $events->listen('cache:clearing', function (?string $store, array $tags): void {
                if ($tags === []) {
                    self::beforeFlush($this->app, $store);
                }
            });
            $cancel = self::cancelsWaits($this->app);
            // Before each job, and behind the worker's own handlers.
            $events->listen(Looping::class, static function () use (&$cancel): void {
                if ($cancel) {
                    WorkerSignals::endWaits();
                    $cancel = false;
                }
            });
        });
    }

    /**
     * @internal
     * @param array<string, mixed> $config
     */
    public static function repository(CacheManager $cache, Container $app, #[\SensitiveParameter] array $config): Repository
    {
        $settings = new Settings($cache, $app, $config);
        $locks = $settings->locks(['keepAliveMax' => self::KEEP_ALIVE_MS_MAX]);
        $store = new RedLockStore($locks, $settings->prefix(), $settings->values(), $settings->forever(), $settings->fenced());
        // Whose locks must exclude those of Laravel's own driver has its funnels too: a lock for each place.
        $apart = ($config['compatible_with'] ?? null) === null && method_exists(CacheRepository::class, 'funnel');
        return $apart ? self::withFunnels($store, $app, $config) : $cache->repository($store, $config);
    }

    /**
     * As CacheManager::repository() makes one.
     *
     * @param array<string, mixed> $config
     */
    private static function withFunnels(RedLockStore $store, Container $app, #[\SensitiveParameter] array $config): FunnelRepository
    {
        $repository = new FunnelRepository($store, array_intersect_key($config, ['store' => true]));
        if (($config['events'] ?? true) && $app->bound(Dispatcher::class)) {
            $repository->setEventDispatcher($app[Dispatcher::class]);
        }
        return $repository;
    }

    /** With the servers and options of the default store, or of the first one of this driver. */
    private static function locks(Container $app): LockManager
    {
        $names = self::names($app);
        $name = in_array($app['config']['cache.default'], $names, true) ? $app['config']['cache.default'] : $names[0]
            ?? throw new \InvalidArgumentException('RedLock\LockManager has no servers: config/cache.php has no store of the driver redlock.');
        return (new Settings($app['cache'], $app, ['store' => $name] + $app['config']["cache.stores.$name"]))->locks();
    }

    /** Artisan clears any store: locks of this driver may be in its database. */
    private static function beforeFlush(Container $app, ?string $flushed): void
    {
        foreach (self::names($app) as $name) {
            try {
                $store = $app['cache']->store($name)->getStore();
            } catch (\InvalidArgumentException) {
                // It has no servers here, and so no locks.
                continue;
            }
            $store->refuseToLose($app['cache']->store($flushed)->getStore());
        }
    }

    private static function cancelsWaits(Container $app): bool
    {
        $cancels = static fn (string $name): bool => (bool) ($app['config']["cache.stores.$name.cancel_waits"] ?? false);
        return \extension_loaded('pcntl') && array_filter(self::names($app), $cancels) !== [];
    }

    /** @return list<string> */
    private static function names(Container $app): array
    {
        $isOurs = static fn (mixed $store): bool => is_array($store) && ($store['driver'] ?? null) === 'redlock';
        return array_keys(array_filter($app['config']['cache.stores'] ?? [], $isOurs));
    }
}
