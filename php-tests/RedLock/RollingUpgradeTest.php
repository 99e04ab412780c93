<?php

/** Processes with the userland class and with this one exclude each other while a fleet is being upgraded. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\LegacyRedLock;
use RedLock\Tests\Support\SharedFleetTestCase;

/** @group real */
final class RollingUpgradeTest extends SharedFleetTestCase
{
    private static function legacy(int $servers): LegacyRedLock
    {
        return new LegacyRedLock(self::$fleet->each(static fn (RespClient $c): RespClient => $c, $servers), 0, 1);
    }

    private static function native(int $servers): RedLock
    {
        return new RedLock(self::$fleet->specs($servers), 0, 1);
    }

    /** @dataProvider fleetSizes */
    public function testAnOldClientCannotTakeWhatANewOneHolds(int $servers): void
    {
        $lock = self::held(self::native($servers), 'r');
        self::assertFalse(self::legacy($servers)->lock('r', 10_000));
        self::assertTrue(self::native($servers)->isHeld($lock), 'and its losing attempt does no harm');
    }

    /** @dataProvider fleetSizes */
    public function testANewClientCannotTakeWhatAnOldOneHolds(int $servers): void
    {
        $lock = self::legacy($servers)->lock('r', 10_000);
        self::assertFalse(self::native($servers)->lock('r', 10_000));
        self::assertTrue(self::native($servers)->isHeld($lock), 'and its losing attempt does no harm');
    }

    /** @dataProvider fleetSizes */
    public function testANewClientUnlocksAnOldHandle(int $servers): void
    {
        $lock = self::legacy($servers)->lock('r', 10_000);
        self::assertTrue(self::native($servers)->unlock($lock));
        self::assertIsArray(self::native($servers)->lock('r', 1000));
    }

    /** @dataProvider fleetSizes */
    public function testAnOldClientUnlocksANewHandle(int $servers): void
    {
        self::legacy($servers)->unlock(self::held(self::native($servers), 'r'));
        Wait::until(static fn (): bool => self::$fleet->keyCount($servers) === 0, 'the keys to be deleted');
        self::assertIsArray(self::legacy($servers)->lock('r', 1000));
    }

    public function testANewClientExtendsAnOldHandle(): void
    {
        $lock = self::legacy(3)->lock('r', 1000);
        self::assertIsArray(self::native(3)->extend($lock, 60_000));
    }
}
