<?php

/** What the README says to write into services.yaml gives a LockFactory. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use Symfony\Component\Config\FileLocator;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\YamlFileLoader;
use Symfony\Component\Lock\LockFactory;

final class ContainerTest extends StoreTestCase
{
    public function testTheReadmesServicesAreALockFactory(): void
    {
        preg_match('~```yaml\n(.*?)```~s', file_get_contents(dirname(__DIR__) . '/README.md'), $snippet);
        $folder = self::$fleet->servers[0]->folder;
        file_put_contents("$folder/services.yaml", $snippet[1]);
        $container = new ContainerBuilder();
        (new YamlFileLoader($container, new FileLocator($folder)))->load('services.yaml');
        $container->getDefinition(LockFactory::class)->setPublic(true);
        $_ENV['LOCK_DSN'] = 'redlock://' . self::$fleet->servers[0]->name();
        try {
            $container->compile(true);
            $factory = $container->get(LockFactory::class);
        } finally {
            unset($_ENV['LOCK_DSN']);
        }
        self::assertInstanceOf(LockFactory::class, $factory);
        $lock = $factory->createLock('invoice-42');
        self::assertTrue($lock->acquire());
        self::assertFalse($factory->createLock('invoice-42')->acquire());
    }
}
