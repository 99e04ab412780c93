<?php

/** Laravel's container makes the LockManager, with the servers of the store. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use RedLock\LockManager;
use RedLock\LockManagerInterface;
use RedLock\Testing;

final class ContainerTest extends StoreTestCase
{
    public function testItHasTheServersOfTheStore(): void
    {
        $lease = $this->app->make(LockManager::class)->acquire('r');
        self::assertGreaterThanOrEqual(2, count(array_filter(self::$fleet->values('r', 3))));
        self::assertSame($this->app->make(LockManager::class), $this->app->make(LockManager::class));
        self::assertTrue($lease->release());
    }

    public function testWhoAsksForItsInterfaceIsGivenItToo(): void
    {
        self::assertSame($this->app->make(LockManager::class), $this->app->make(LockManagerInterface::class));
    }

    public function testServersInMemoryAreThoseOfTheStoreAndTheContainer(): void
    {
        Testing::reset();
        $this->app = self::application(['servers' => 'memory://', 'values' => 'array']);
        self::assertTrue($this->lock()->get());
        self::assertFalse($this->lock()->get());
        self::assertNull($this->app->make(LockManager::class)->acquire('shop_r'));
        Testing::advance(10_001);
        self::assertTrue($this->lock()->get());
        Testing::reset();
    }

    public function testAClassThatAsksForItIsGivenIt(): void
    {
        $bill = $this->app->make(get_class(new class (null) {
            public function __construct(public readonly ?LockManager $locks)
            {
            }
        }));
        self::assertSame(7, $bill->locks->synchronized('r', static fn (): int => 7));
    }

    public function testItHasTheOptionsOfTheStoreAndItsOwnDefaults(): void
    {
        $this->app = self::application(['servers' => self::$fleet->specs(3), 'options' => ['clientName' => 'shop']]);
        $locks = $this->app->make(LockManager::class);
        $lease = $locks->acquire('r');
        self::assertStringContainsString(' name=shop ', self::$fleet->servers[0]->client()->call('CLIENT', 'LIST'));
        $error = self::caught(\ValueError::class, static fn () => $locks->acquire('r', 7_200_000, 0, ['keepAlive' => true]));
        self::assertStringContainsString('keepAliveMax', $error->getMessage());
    }

    public function testTheDefaultStoreComesFirst(): void
    {
        $this->app['config']->set('cache.stores', ['other' => ['driver' => 'redlock', 'servers' => 'localhost:1']] + $this->app['config']['cache.stores']);
        self::assertNotNull($this->app->make(LockManager::class)->acquire('r'));
        $this->app['config']->set('cache.default', 'array');
        $this->app->forgetInstance(LockManager::class);
        self::assertArrayHasKey('localhost:1', $this->app->make(LockManager::class)->inspect('r')['servers']);
    }

    public function testWithoutServersInTheEnvironmentTheSettingIsNamed(): void
    {
        $this->app = self::application(['servers' => null]);
        $error = self::caught(\InvalidArgumentException::class, fn () => $this->app->make(LockManager::class));
        self::assertStringContainsString('[cache.stores.redlock.servers]', $error->getMessage());
        self::assertStringContainsString('REDLOCK_SERVERS', $error->getMessage());
    }

    public function testWithoutAStoreItSaysSo(): void
    {
        $this->app['config']->set('cache.stores', []);
        $error = self::caught(\InvalidArgumentException::class, fn () => $this->app->make(LockManager::class));
        self::assertStringContainsString('config/cache.php', $error->getMessage());
    }
}
