<?php

/** The store passes the test case that symfony/lock publishes for stores. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use RedLock\Harness\Fleet;
use RedLock\Symfony\RedLockStore;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Test\AbstractStoreTestCase;

final class ContractTest extends AbstractStoreTestCase
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

    protected function getStore(): PersistingStoreInterface
    {
        return new RedLockStore(self::$fleet->specs());
    }
}
