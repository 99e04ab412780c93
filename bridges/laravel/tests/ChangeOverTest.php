<?php

/** While programs with Laravel's driver `redis` still run, both drivers exclude each other. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use Illuminate\Contracts\Cache\Lock;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Laravel\RedLockStore;

final class ChangeOverTest extends StoreTestCase
{
    /** @param array<string, mixed> $settings of this driver */
    #[DataProvider('settings')]
    public function testBothDriversExcludeEachOther(string $client, string $old, array $settings): void
    {
        $prefix = 'app-database-' . $this->oldPrefix();
        if (!isset($settings['compatible_with'])) {
            $settings['prefix'] = $prefix;
        }
        $servers = isset($settings['servers']) ? ['servers' => array_map(static fn (int $at): string => 'redis://' . self::$fleet->servers[$at]->name() . '/2', $settings['servers'])] : [];
        $this->app = self::application($servers + $settings + ['options' => ['timeout' => 2]], self::connections($client, ['cache' => ['database' => '1'], 'locks' => ['database' => '2']]));
        foreach ([0, 60] as $seconds) {
            foreach ([[$this->old($old, $seconds), $this->lock(seconds: $seconds)], [$this->lock(seconds: $seconds), $this->old($old, $seconds)]] as [$first, $second]) {
                self::assertTrue($first->get());
                self::assertFalse($second->get());
                $this->assertKey("{$prefix}r", $old === 'apart' ? 2 : 1);
                self::assertTrue($first->release());
                self::assertTrue($second->get());
                self::assertTrue($second->release());
            }
        }
        self::assertSame($prefix, $this->cache()->getStore()->getPrefix());
    }

    /** @return iterable<string, array{string, string, array<string, mixed>}> client, the old store, our settings */
    public static function settings(): iterable
    {
        foreach (['phpredis', 'predis'] as $client) {
            yield "$client, locks apart" => [$client, 'apart', ['compatible_with' => 'apart']];
            yield "$client, locks beside the values" => [$client, 'redis', ['compatible_with' => 'redis']];
            yield "$client, a prefix of its own does not count" => [$client, 'apart', ['compatible_with' => 'apart', 'prefix' => 'does not count']];
            yield "$client, servers that are named" => [$client, 'apart', ['compatible_with' => 'apart', 'servers' => [0]]];
            yield "$client, a second server" => [$client, 'apart', ['compatible_with' => 'apart', 'servers' => [0, 1]]];
            yield "$client, the prefix by hand" => [$client, 'apart', ['servers' => [0]]];
        }
    }

    #[DataProvider('clients')]
    public function testALockThatNeverExpiresIsReleasedByTheOldDriverOnly(string $client): void
    {
        $this->app = self::application(['compatible_with' => 'redis'], self::connections($client, ['cache' => []]));
        self::assertTrue($this->old('redis', 0)->get());
        $this->lock()->forceRelease();
        self::assertFalse($this->lock()->get());
        $this->old('redis', 0)->forceRelease();
        self::assertTrue($this->lock()->get());
        $this->old('redis', 0)->forceRelease();
        self::assertTrue($this->lock()->get());
    }

    #[DataProvider('clients')]
    public function testConnectionsWithoutAPrefixHaveNone(string $client): void
    {
        $this->app = self::application(['compatible_with' => 'redis'], self::connections($client, ['cache' => []], ''));
        self::assertSame($this->oldPrefix(), $this->cache()->getStore()->getPrefix());
    }

    /** @param array<string, mixed> $own */
    #[DataProvider('ownPrefixes')]
    public function testAConnectionMayHaveAPrefixOfItsOwn(string $client, array $own): void
    {
        $this->app = self::application(['compatible_with' => 'redis'], self::connections($client, ['cache' => $own]));
        self::assertTrue($this->old('redis', 60)->get());
        self::assertFalse($this->lock()->get());
    }

    /** @return iterable<string, array{string, array<string, mixed>}> */
    public static function ownPrefixes(): iterable
    {
        foreach (['phpredis', 'predis'] as $client) {
            yield "$client, beside its host" => [$client, ['prefix' => 'own:']];
            yield "$client, in its options" => [$client, ['options' => ['prefix' => 'own:']]];
        }
    }

    public function testAnotherStoreThanOneOfRedisIsRefused(): void
    {
        $this->app = self::application(['compatible_with' => 'array']);
        $error = self::caught(\InvalidArgumentException::class, fn () => $this->cache());
        self::assertStringContainsString('compatible_with]', $error->getMessage());
    }

    /** Of the cache, as the driver redis has it. */
    private function oldPrefix(): string
    {
        return (int) $this->app->version() < 11 ? 'shop_:' : 'shop_';
    }

    private function old(string $store, int $seconds): Lock
    {
        return $this->app['cache']->store($store)->lock('r', $seconds);
    }

    private function assertKey(string $key, int $database): void
    {
        $client = self::$fleet->servers[0]->client();
        $client->call('SELECT', (string) $database);
        self::assertSame([$key], $client->call('KEYS', '*r'));
    }
}
