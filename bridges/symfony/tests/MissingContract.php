<?php

/** In place of Symfony's test case for semaphores, where the package was installed without its tests. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use Symfony\Component\Semaphore\Key;

abstract class MissingContract extends TestCase
{
    public function testTheInstalledPackageHasNoTests(): void
    {
        self::assertDirectoryDoesNotExist(dirname((new \ReflectionClass(Key::class))->getFileName()) . '/Tests');
    }
}
