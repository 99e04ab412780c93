<?php

/** `cache:clear` deletes whole databases: one that has locks is refused, however it is written, and any other is cleared. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use Illuminate\Cache\FailoverStore;
use Illuminate\Contracts\Cache\CanFlushLocks;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\RedisServer;
use RedLock\Laravel\RedLockStore;
use RedLock\LockManager;
use RedLock\QuorumException;

final class FlushTest extends StoreTestCase
{
    private const REFUSED = 'a database of their own';

    /** @param array<string, mixed> $connection where the values are; its server and database are those of the locks */
    #[DataProvider('sharedDatabases')]
    public function testWhereItWouldDeleteLocksItIsRefused(string $client, \Closure $connection, int $servers, int $at): void
    {
        $locks = array_map(static fn (RedisServer $server): array => ['host' => '127.0.0.1', 'port' => $server->port, 'database' => 3, 'timeout' => 2], array_slice(self::$fleet->servers, 0, $servers));
        $redis = self::connections($client, ['cache' => $connection(self::$fleet->servers[$at]) + ['database' => '3']]);
        $this->app = self::application(['servers' => $locks, 'values' => 'redis'], $redis);
        $lock = $this->lock(seconds: 60);
        self::assertTrue($lock->get());
        $this->cache()->put('value', 1, 60);
        foreach (['redlock', 'redis'] as $store) {
            $error = self::caught(\RuntimeException::class, fn () => $this->clear($store));
            self::assertStringContainsString(self::REFUSED, $error->getMessage());
        }
        self::assertStringContainsString(self::REFUSED, self::caught(\RuntimeException::class, fn () => $this->cache()->getStore()->flush())->getMessage());
        self::assertTrue($lock->isOwnedByCurrentProcess());
        self::assertEquals(1, $this->cache()->get('value'));
        self::assertTrue($lock->release());
    }

    /** @return iterable<string, array{string, \Closure(RedisServer): array<string, mixed>, int, int}> client, connection of the values, number of lock servers, which of them has the values */
    public static function sharedDatabases(): iterable
    {
        $port = static fn (RedisServer $server): array => ['port' => (string) $server->port];
        foreach (['phpredis', 'predis'] as $client) {
            yield "$client, one server" => [$client, $port, 1, 0];
            yield "$client, the last of three" => [$client, $port, 3, 2];
            yield "$client, under another name" => [$client, static fn (RedisServer $server): array => ['host' => 'localhost'] + $port($server), 3, 1];
            yield "$client, by a URL" => [$client, static fn (RedisServer $server): array => ['url' => "redis://127.0.0.1:$server->port/3"], 3, 0];
            yield "$client, with another prefix" => [$client, static fn (RedisServer $server): array => ['prefix' => 'other:'] + $port($server), 3, 0];
        }
        yield 'phpredis, by its socket' => ['phpredis', static fn (RedisServer $server): array => ['host' => $server->unixPath(), 'port' => '0'], 3, 0];
        yield 'predis, by its socket' => ['predis', static fn (RedisServer $server): array => ['scheme' => 'unix', 'path' => $server->unixPath()], 3, 0];
    }

    #[DataProvider('clients')]
    public function testAnotherDatabaseOfTheSameServerIsCleared(string $client): void
    {
        $redis = self::connections($client, ['cache' => ['database' => '3']]);
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'values' => 'redis'], $redis);
        $lock = $this->lock(seconds: 60);
        $lock->get();
        foreach (['redlock', 'redis', 'array'] as $store) {
            $this->cache()->put('value', 1, 60);
            self::assertSame(0, $this->clear($store));
            self::assertSame($store === 'array', $this->cache()->has('value'));
        }
        self::assertTrue($lock->isOwnedByCurrentProcess());
        $lock->release();
        self::assertSame(0, self::$fleet->keyCount(3), 'nothing is left behind');
    }

    public function testADeadServerOfThreeIsNoHindrance(): void
    {
        $fleet = $this->fleet(3);
        $redis = self::connections('phpredis', ['cache' => ['database' => '3']]);
        $this->app = self::application(['servers' => $fleet->specs(null, 2.0), 'values' => 'redis'], $redis);
        $fleet->servers[1]->kill9();
        self::assertTrue($this->cache()->flush());
        $fleet->servers[2]->kill9();
        self::caught(QuorumException::class, fn () => $this->cache()->flush());
    }

    public function testOneThatComesAfterAFailoverIsRefusedToo(): void
    {
        if (!class_exists(FailoverStore::class)) {
            self::assertLessThan(13, (int) $this->app->version(), 'it came within Laravel 12');
            return;
        }
        $redis = self::connections('phpredis', ['cache' => []]);
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'values' => 'failover'], $redis);
        $this->app['config']->set('cache.stores.failover', ['driver' => 'failover', 'stores' => ['array', 'redis']]);
        self::caught(\RuntimeException::class, fn () => $this->clear('redlock'));
        self::caught(\RuntimeException::class, fn () => $this->cache()->flush());
        self::caught(\RuntimeException::class, fn () => $this->clear('failover'));
    }

    public function testAStoreThatHasNoServersIsInNobodysWay(): void
    {
        $this->app = self::application(['servers' => null], self::connections('phpredis', ['cache' => []]));
        self::assertSame(0, $this->clear('redis'));
    }

    public function testTagsAreNoDatabases(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3)], self::connections('phpredis', ['cache' => []]));
        self::assertTrue($this->lock()->get());
        self::assertSame(0, $this->clear('redis', 'news'));
        self::assertTrue($this->lock()->isLocked());
    }

    /** `cache:clear --locks` of Laravel 13 says that the store does not support it. */
    public function testAllLocksAtOnceAreNotDeleted(): void
    {
        self::assertNotContains(CanFlushLocks::class, class_implements(RedLockStore::class));
    }

    public function testAStoreWithoutLaravelsConfigurationRefusesToo(): void
    {
        $this->app = self::application([], self::connections('phpredis', ['cache' => []]));
        $store = new RedLockStore(new LockManager(self::$fleet->specs(3)), 'own_', $this->app['cache']->store('redis')->getStore());
        self::caught(\RuntimeException::class, static fn () => $store->flush());
    }

    private function clear(string $store, string $tags = ''): int
    {
        $command = new \Illuminate\Cache\Console\ClearCommand($this->app['cache'], new \Illuminate\Filesystem\Filesystem());
        $command->setLaravel($this->app);
        $input = new \Symfony\Component\Console\Input\ArrayInput(['store' => $store, '--tags' => $tags]);
        return $command->run($input, new \Symfony\Component\Console\Output\NullOutput());
    }
}
