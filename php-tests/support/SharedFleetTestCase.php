<?php

/** Tests that leave their servers in health share them: five servers per class, emptied before each test. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

use RedLock\Harness\Fleet;

abstract class SharedFleetTestCase extends ServerTestCase
{
    protected static Fleet $fleet;

    public static function setUpBeforeClass(): void
    {
        self::$fleet = new Fleet(5);
    }

    public static function tearDownAfterClass(): void
    {
        self::$fleet->end();
    }

    protected function setUp(): void
    {
        self::$fleet->reset();
    }

    /** @return iterable<string, array{int}> */
    public static function fleetSizes(): iterable
    {
        yield 'one server' => [1];
        yield 'three servers' => [3];
        yield 'five servers' => [5];
    }
}
