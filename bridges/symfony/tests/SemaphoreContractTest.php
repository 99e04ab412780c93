<?php

/**
 * The store of semaphores passes the test case that Symfony has for such stores.
 *
 * It stands in the sources of symfony/semaphore, but not in its package: composer --prefer-source fetches it, and REDLOCK_PACKAGES may have it.
 */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use RedLock\Harness\Fleet;
use RedLock\Symfony\RedLockSemaphoreStore;
use Symfony\Component\Semaphore\Exception\SemaphoreExpiredException;
use Symfony\Component\Semaphore\Key;
use Symfony\Component\Semaphore\PersistingStoreInterface;
use Symfony\Component\Semaphore\Tests\Store\AbstractStoreTestCase;

class_exists(AbstractStoreTestCase::class) || class_alias(MissingContract::class, AbstractStoreTestCase::class);

final class SemaphoreContractTest extends AbstractStoreTestCase
{
    private static Fleet $fleet;

    public static function setUpBeforeClass(): void
    {
        self::$fleet = new Fleet(3);
    }

    public static function tearDownAfterClass(): void
    {
        self::$fleet->end();
    }

    /** Symfony's own also wanted the words of its Redis store once. */
    public function testPutOffExpirationWhenSaveHasNotBeenCalled(): void
    {
        $this->expectException(SemaphoreExpiredException::class);
        $this->getStore()->putOffExpiration(new Key('r', 4, 2), 20.0);
    }

    protected function getStore(): PersistingStoreInterface
    {
        return new RedLockSemaphoreStore(self::$fleet->specs());
    }
}
