<?php

/** What the README says to write into services.yaml gives a LockFactory, and a SemaphoreFactory. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Tests\Support\Document;
use Symfony\Component\Config\FileLocator;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\YamlFileLoader;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Semaphore\SemaphoreFactory;

final class ContainerTest extends StoreTestCase
{
    #[DataProvider('snippets')]
    public function testTheReadmesServicesAreALockFactory(int $at, string $variable, string $begin): void
    {
        $factory = self::factory(LockFactory::class, $at, $variable, $begin);
        self::assertInstanceOf(LockFactory::class, $factory);
        $lock = $factory->createLock('invoice-42');
        self::assertTrue($lock->acquire());
        self::assertFalse($factory->createLock('invoice-42')->acquire());
        self::assertGreaterThanOrEqual(2, self::$fleet->keyCount(3));
    }

    public function testTheReadmesServicesAreASemaphoreFactory(): void
    {
        $factory = self::factory(SemaphoreFactory::class, 2, 'SEMAPHORE_DSN', 'redlock://');
        self::assertInstanceOf(SemaphoreFactory::class, $factory);
        $semaphore = $factory->createSemaphore('api', 1);
        self::assertTrue($semaphore->acquire());
        self::assertFalse($factory->createSemaphore('api', 1)->acquire());
    }

    private static function factory(string $class, int $at, string $variable, string $begin): object
    {
        $folder = self::$fleet->servers[0]->folder;
        file_put_contents("$folder/services.yaml", (new Document('bridges/symfony/README.md'))->blocks('yaml')[$at]);
        $container = new ContainerBuilder();
        (new YamlFileLoader($container, new FileLocator($folder)))->load('services.yaml');
        $container->getDefinition($class)->setPublic(true);
        $_ENV[$variable] = $begin . self::$fleet->names(3);
        try {
            $container->compile(true);
            return $container->get($class);
        } finally {
            unset($_ENV[$variable]);
        }
    }

    /** @return iterable<string, array{int, string, string}> which snippet, the variable in the environment, and how it begins */
    public static function snippets(): iterable
    {
        yield 'by a DSN' => [0, 'LOCK_DSN', 'redlock://'];
        yield 'by a list of servers' => [1, 'REDLOCK_SERVERS', ''];
    }
}
