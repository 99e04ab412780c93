<?php

/** The driver in Laravel's configuration: its settings, and the values that it leaves to another store. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\Wait;
use RedLock\Laravel\QuorumLock;
use RedLock\Laravel\RedLockServiceProvider;
use RedLock\Laravel\RedLockStore;

final class StoreTest extends StoreTestCase
{
    public function testLaravelFindsTheProvider(): void
    {
        $package = json_decode(file_get_contents(dirname(__DIR__) . '/composer.json'), true, 16, JSON_THROW_ON_ERROR);
        self::assertSame([RedLockServiceProvider::class], $package['extra']['laravel']['providers']);
    }

    public function testTheDefaultStoreMayBeOfThisDriver(): void
    {
        self::assertInstanceOf(RedLockStore::class, $this->app['cache']->store()->getStore());
        self::assertInstanceOf(QuorumLock::class, $this->app['cache']->lock('r', 10));
    }

    public function testADriverIsThereAlsoWhereTheCacheWasResolvedBefore(): void
    {
        $this->app['cache']->forgetDriver('redlock');
        (new RedLockServiceProvider($this->app))->register();
        self::assertInstanceOf(RedLockStore::class, $this->app['cache']->store('redlock')->getStore());
    }

    public function testServersMayBeOneString(): void
    {
        $this->app = self::application(['servers' => str_replace(',', ', ', self::$fleet->names(3))]);
        self::assertTrue($this->lock()->get());
        self::assertGreaterThanOrEqual(2, self::$fleet->keyCount(3));
    }

    public function testServersMayBeConnectionsOfLaravelAndUrls(): void
    {
        [$a, $b, $c] = self::$fleet->servers;
        $usual = ['host' => '127.0.0.1', 'username' => null, 'password' => null, 'database' => '1', 'max_retries' => 3];
        $this->app = self::application(['servers' => [
            ['url' => null, 'port' => (string) $a->port] + $usual,
            ['url' => "redis://{$b->name()}/1", 'port' => '6379'] + $usual,
            "redis://{$c->name()}/1",
        ]]);
        $votes = static fn (): int => array_sum(self::$fleet->each(static function ($client): int {
            $client->call('SELECT', '1');
            return $client->call('EXISTS', 'shop_r');
        }, 3));
        // Who is slow is not asked for what the others have granted.
        Wait::until(function () use ($votes): bool {
            $this->lock()->forceRelease();
            self::assertTrue($this->lock()->get());
            return $votes() === 3;
        }, 'the vote of each, in its database');
    }

    public function testServersInAStringMayHaveTls(): void
    {
        $this->app = self::application(['servers' => 'rediss://:p%2Cq@10.0.0.1, tls://10.0.0.2?ssl[verify_peer]=0,10.0.0.3']);
        self::assertInstanceOf(RedLockStore::class, $this->cache()->getStore());
    }

    public function testAStoreMayHaveAPrefixOfItsOwn(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'prefix' => 'own_']);
        $this->lock()->get();
        self::assertSame('own_', $this->cache()->getStore()->getPrefix());
        self::assertSame(1, self::$fleet->servers[0]->client()->call('EXISTS', 'own_r'));
    }

    public function testOptionsAreThoseOfTheLockManager(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'options' => ['clientName' => 'shop']]);
        $this->lock()->get();
        self::assertStringContainsString(' name=shop ', self::$fleet->servers[0]->client()->call('CLIENT', 'LIST'));
    }

    public function testValuesAreInTheirOwnStore(): void
    {
        $cache = $this->cache();
        self::assertTrue($cache->put('a', 1, 60));
        self::assertSame(1, $cache->get('a'));
        self::assertSame(1, $this->app['cache']->store('array')->get('a'));
        self::assertFalse($cache->add('a', 2, 60));
        self::assertTrue($cache->add('b', 2, 60));
        self::assertSame(3, $cache->increment('b'));
        self::assertSame(2, $cache->decrement('b'));
        self::assertTrue($cache->forever('c', 3));
        self::assertTrue($cache->putMany(['d' => 4, 'e' => 5], 60));
        self::assertSame(['a' => 1, 'b' => 2, 'z' => null], $cache->many(['a', 'b', 'z']));
        self::assertSame('made', $cache->remember('f', 60, static fn (): string => 'made'));
        self::assertTrue($cache->forget('a'));
        self::assertNull($cache->get('a'));
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testAFlushLeavesTheLocks(): void
    {
        $this->cache()->put('a', 1, 60);
        $this->lock()->get();
        self::assertTrue($this->cache()->getStore()->flush());
        self::assertNull($this->cache()->get('a'));
        self::assertTrue($this->lock()->isLocked());
    }

    public function testAStoreWithoutValuesSaysSo(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3)]);
        self::assertTrue($this->lock()->get());
        $error = self::caught(\BadMethodCallException::class, fn () => $this->cache()->get('a'));
        self::assertStringContainsString("'values'", $error->getMessage());
    }

    /** @param array<string, mixed> $settings */
    #[DataProvider('wrongSettings')]
    public function testWrongSettingsAreRefused(array $settings, string $named): void
    {
        ini_set('zend.exception_ignore_args', '0');
        $this->app = self::application($settings);
        try {
            $this->cache();
        } catch (\InvalidArgumentException|\ValueError|\TypeError $error) {
            self::assertStringContainsString($named, $error->getMessage());
            self::assertStringNotContainsString('secret', $error->getMessage());
            self::assertStringNotContainsString('secret', print_r(self::ownArrays($error), true));
            return;
        }
        self::fail('nothing was thrown');
    }

    /** @return list<array<mixed>> what a stack trace shows of the arrays that our own functions were given */
    private static function ownArrays(\Throwable $error): array
    {
        $own = array_filter($error->getTrace(), static fn (array $frame): bool
            => str_contains(($frame['class'] ?? '') . $frame['function'], 'RedLock\Laravel\\') && !str_contains($frame['function'], 'test'));
        return array_filter(array_merge(...array_values(array_column($own, 'args'))), is_array(...));
    }

    /** @return iterable<string, array{array<string, mixed>, string}> the settings, and what the message must name */
    public static function wrongSettings(): iterable
    {
        yield 'no servers' => [[], '[cache.stores.redlock.servers]'];
        yield 'no variable of that name in the environment' => [['servers' => null], 'REDLOCK_SERVERS'];
        yield 'a connection of another file, which is not read yet' => [['servers' => [null]], 'config()'];
        yield 'an empty string of servers' => [['servers' => ' '], '[cache.stores.redlock.servers]'];
        yield 'an empty list of servers' => [['servers' => []], '$servers'];
        yield 'a connection in place of their list' => [['servers' => ['host' => '10.0.0.1', 'password' => 'secret']], '[[...]]'];
        yield 'commas alone' => [['servers' => ' , '], '$servers'];
        yield 'a server that is none' => [['servers' => 'redis://:secret@10.0.0.1:70000'], 'port'];
        yield 'a prefix of a connection' => [['servers' => [['host' => '10.0.0.1', 'prefix' => 'shop_']]], 'prefix'];
        yield 'options of TLS without TLS' => [['servers' => [['host' => '10.0.0.1', 'context' => ['verify_peer' => false]]]], 'TLS'];
        yield 'an unknown option' => [['servers' => '10.0.0.1', 'options' => ['colour' => 'red']], 'colour'];
        yield 'options that are none' => [['servers' => '10.0.0.1', 'options' => 'fast'], 'options'];
        yield 'no time for ever' => [['servers' => '10.0.0.1', 'forever' => 0], '[cache.stores.redlock.forever]'];
        yield 'a fence in words' => [['servers' => '10.0.0.1', 'fence' => 'please'], '[cache.stores.redlock.fence]'];
        yield 'a time for ever in words' => [['servers' => '10.0.0.1', 'forever' => 'long'], '[cache.stores.redlock.forever]'];
        yield 'values in itself' => [['servers' => '10.0.0.1', 'values' => 'redlock'], '[cache.stores.redlock.values]'];
        yield 'values in a store that is none' => [['servers' => '10.0.0.1', 'values' => 'nowhere'], 'nowhere'];
    }
}
