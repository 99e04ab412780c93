<?php

/** What config/cache.php says of a store of the driver `redlock`. */

declare(strict_types=1);

namespace RedLock\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Cache\RedisStore;
use Illuminate\Contracts\Cache\Store;
use Illuminate\Contracts\Container\Container;
use Illuminate\Redis\Connections\PhpRedisConnection;
use RedLock\LockManager;

/** @internal */
final class Settings
{
    private const SECONDS_FOREVER = 86_400;

    private readonly string $name;

    /** @param array<string, mixed> $config may hold a password */
    public function __construct(
        private readonly CacheManager $cache,
        private readonly Container $app,
        #[\SensitiveParameter]
        private readonly array $config,
    ) {
        // Laravel 10 does not say it.
        $this->name = 'cache.stores.' . ($config['store'] ?? 'redlock');
    }

    /** @param array<string, mixed> $defaults options of LockManager where none are set */
    public function locks(array $defaults = []): LockManager
    {
        $options = $this->config['options'] ?? [];
        if (!is_array($options)) {
            throw $this->refusal('options', 'must be those of RedLock\LockManager');
        }
        return new LockManager($this->servers(), $options + $defaults);
    }

    /** How the keys of locks begin. */
    public function prefix(): string
    {
        $old = $this->compatible();
        if ($old === null) {
            return (string) ($this->config['prefix'] ?? $this->app['config']['cache.prefix'] ?? '');
        }
        $connection = $old->lockConnection();
        $prefix = $connection instanceof PhpRedisConnection ? $connection->_prefix('') : (string) $connection->getOptions()->prefix;
        return $prefix . $old->getPrefix();
    }

    public function values(): ?Store
    {
        $name = $this->config['values'] ?? null;
        if ($name === null) {
            return null;
        }
        if (($this->app['config']["cache.stores.$name.driver"] ?? null) === 'redlock') {
            throw $this->refusal('values', "must name a store of another driver, not [$name]");
        }
        return $this->cache->store($name)->getStore();
    }

    public function forever(): int
    {
        $forever = $this->config['forever'] ?? self::SECONDS_FOREVER;
        // As it comes from the environment.
        $forever = is_string($forever) ? filter_var($forever, \FILTER_VALIDATE_INT) : $forever;
        if (!is_int($forever) || $forever <= 0) {
            throw $this->refusal('forever', 'must be a whole number of seconds, more than 0');
        }
        return $forever;
    }

    public function fenced(): bool
    {
        $fence = $this->config['fence'] ?? false;
        return is_bool($fence) ? $fence : throw $this->refusal('fence', 'must be true or false');
    }

    /** @return array<mixed>|string */
    private function servers(): array|string
    {
        $servers = $this->config['servers'] ?? $this->serverOfCompatible();
        if ($servers === null || (is_array($servers) && in_array(null, $servers, true))) {
            throw $this->refusal('servers', 'is null: set REDLOCK_SERVERS in the environment, or write the servers there.'
                . ' config() of another file is null within config/cache.php');
        }
        if (!is_array($servers) && (!is_string($servers) || trim($servers) === '')) {
            throw $this->refusal('servers', 'must be a list of servers, or a string of them with commas, as in REDLOCK_SERVERS');
        }
        return $servers;
    }

    /**
     * The server and the database where the store that these locks are compatible with has its own.
     *
     * @return ?list<array<string, mixed>>
     */
    private function serverOfCompatible(): ?array
    {
        $old = $this->compatible();
        if ($old === null) {
            return null;
        }
        $connection = $this->app['config']['database.redis.' . $old->lockConnection()->getName()];
        unset($connection['prefix'], $connection['options']['prefix']);
        return [$connection];
    }

    /** The store of Laravel's driver redis whose locks and these exclude each other. */
    private function compatible(): ?RedisStore
    {
        $name = $this->config['compatible_with'] ?? null;
        if ($name === null) {
            return null;
        }
        $store = $this->cache->store($name)->getStore();
        return $store instanceof RedisStore ? $store : throw $this->refusal('compatible_with', "must name a store of the driver redis, not [$name]");
    }

    private function refusal(string $setting, string $reason): \InvalidArgumentException
    {
        return new \InvalidArgumentException("[$this->name.$setting] $reason.");
    }
}
