<?php

/** The settings and the code of the README, and the code of the recipe, are what they say. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use Illuminate\Cache\Repository;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\PhpProcess;
use RedLock\Laravel\RedLockStore;
use RedLock\Tests\Support\Document;

final class DocumentsTest extends StoreTestCase
{
    #[DataProvider('blocks')]
    public function testTheCodeRuns(string $code): void
    {
        $process = $this->process('
            Illuminate\Support\Facades\Facade::setFacadeApplication($app);
            class_exists("Cache") || class_alias(Illuminate\Support\Facades\Cache::class, "Cache");
            function bill(int $order): void { report("billed $order"); }
            eval($args["code"]);
        ', ['code' => $code]);
        self::assertSame('billed 42', PhpProcess::report($process));
        self::assertSame(0, $process->wait());
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    /** @return iterable<string, array{string}> */
    public static function blocks(): iterable
    {
        $blocks = (new Document('bridges/laravel/README.md'))->blocks('php');
        yield 'a lock in the README' => [$blocks[1]];
        yield 'a lease in the README' => [$blocks[2]];
        if (method_exists(Repository::class, 'funnel')) {
            yield 'a funnel in the README' => [$blocks[4]];
        }
        yield 'the recipe' => (new Document('docs/recipes.md'))->blocks('php laravel');
    }

    public function testTheReadmesFenceReachesWhatIsSaved(): void
    {
        $process = $this->process('
            Illuminate\Support\Facades\Facade::setFacadeApplication($app);
            class_exists("Cache") || class_alias(Illuminate\Support\Facades\Cache::class, "Cache");
            function save(int $account, int $fence): void { report($fence > 0); }
            eval($args["code"]);
        ', ['code' => (new Document('bridges/laravel/README.md'))->blocks('php')[5]], ['fence' => true]);
        self::assertTrue(PhpProcess::report($process));
        self::assertSame(0, $process->wait());
    }

    public function testTheReadmesServerIsOneInAnArray(): void
    {
        $block = (new Document('bridges/laravel/README.md'))->blocks('php')[3];
        putenv('REDIS_PORT=' . self::$fleet->servers[0]->port);
        try {
            $this->app = self::application(eval("return [\n$block\n];"));
        } finally {
            putenv('REDIS_PORT');
        }
        self::assertTrue($this->lock()->get());
        self::assertSame(1, self::$fleet->keyCount(1));
    }

    public function testTheReadmesChangeOverIsAStore(): void
    {
        $stores = eval("return [\n" . (new Document('bridges/laravel/README.md'))->blocks('php')[6] . "\n];");
        $this->app = self::application($stores['redlock'], self::connections('phpredis', ['cache' => []]));
        self::assertStringStartsWith('app-database-shop_', $this->cache()->getStore()->getPrefix());
        self::assertTrue($this->lock()->get());
    }

    public function testTheReadmesSettingsAreAStore(): void
    {
        $settings = (new Document('bridges/laravel/README.md'))->blocks('php')[0];
        putenv('REDLOCK_SERVERS=' . self::$fleet->servers[0]->name());
        try {
            $stores = eval("return [\n$settings\n];");
        } finally {
            putenv('REDLOCK_SERVERS');
        }
        $server = self::$fleet->servers[0]->name();
        self::assertSame(['redlock' => ['driver' => 'redlock', 'servers' => $server, 'values' => 'redis']], $stores);
        $this->app = self::application(['values' => 'array'] + $stores['redlock']);
        self::assertInstanceOf(RedLockStore::class, $this->cache()->getStore());
        self::assertTrue($this->lock()->get());
    }
}
