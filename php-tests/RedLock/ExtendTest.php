<?php

/** Prolonging a lock and asking after it. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\SharedFleetTestCase;

final class ExtendTest extends SharedFleetTestCase
{
    private static function redLock(int $servers): RedLock
    {
        return new RedLock(self::$fleet->specs($servers), 0, 1);
    }

    private static function loseKeyOn(int $servers): void
    {
        self::$fleet->each(static fn ($c) => $c->call('DEL', 'r'), $servers);
    }

    /** A lock whose key is on all five servers. */
    private static function heldEverywhere(RedLock $redLock, int $ttl = 10_000): array
    {
        $lock = self::held($redLock, 'r', $ttl);
        Wait::until(static fn (): bool => self::$fleet->keyCount() === 5, 'the key on all servers');
        return $lock;
    }

    /** @dataProvider fleetSizes */
    public function testExtendGivesAHandleOfTheSameShapeWithTheSameToken(int $servers): void
    {
        $redLock = self::redLock($servers);
        $lock = self::held($redLock, 'r', 1000);
        $start = Wait::now();
        $extended = $redLock->extend($lock, 20_000);
        self::assertSame(['validity', 'resource', 'token'], array_keys($extended));
        self::assertSame([$lock['resource'], $lock['token']], [$extended['resource'], $extended['token']]);
        self::assertLessThan(19_798.0, $extended['validity']);
        self::assertGreaterThanOrEqual(19_798.0 - (Wait::now() - $start) * 1000, $extended['validity']);
    }

    public function testExtendSetsTheKeysLifetimeAnew(): void
    {
        $redLock = self::redLock(5);
        $redLock->extend(self::heldEverywhere($redLock, 1000), 60_000);
        $long = static fn (): bool => min(self::$fleet->each(static fn ($c) => $c->call('PTTL', 'r'))) > 50_000;
        self::assertTrue(Wait::until($long, 'the new lifetime on all servers'));
    }

    public function testExtendNeverShortensTheKeysLifetime(): void
    {
        $redLock = self::redLock(1);
        $extended = $redLock->extend(self::held($redLock, 'r', 60_000), 5000);
        self::assertLessThan(4948.0, $extended['validity'], 'promised is what was asked for');
        self::assertGreaterThan(50_000, self::$fleet->servers[0]->client()->call('PTTL', 'r'));
    }

    public function testExtendKeepsAnIntResource(): void
    {
        $redLock = self::redLock(3);
        self::assertSame(42, $redLock->extend(self::held($redLock, 42), 1000)['resource']);
    }

    public function testAnExtendedHandleUnlocks(): void
    {
        $redLock = self::redLock(3);
        self::assertTrue($redLock->unlock($redLock->extend(self::held($redLock, 'r'), 5000)));
    }

    public function testAHandleThatWentThroughJsonCanBeExtended(): void
    {
        $redLock = self::redLock(3);
        $json = json_encode(self::held($redLock, 'r'), JSON_THROW_ON_ERROR);
        self::assertIsArray($redLock->extend(json_decode($json, true), 5000));
    }

    /** @dataProvider fleetSizes */
    public function testExtendOfSomebodyElsesLockIsFalseAndChangesNothing(int $servers): void
    {
        $redLock = self::redLock($servers);
        self::held($redLock, 'r', 10_000);
        self::assertFalse($redLock->extend(['resource' => 'r', 'token' => 'guess'], 90_000));
        foreach (self::$fleet->each(static fn ($c) => $c->call('PTTL', 'r'), $servers) as $left) {
            self::assertLessThanOrEqual(10_000, $left);
        }
    }

    public function testExtendOfAFreeResourceIsFalseAndMakesNoKey(): void
    {
        $redLock = self::redLock(3);
        self::assertFalse($redLock->extend(['resource' => 'r', 'token' => 'mine'], 5000));
        self::assertSame(0, self::$fleet->keyCount());
    }

    /** @dataProvider lostKeys */
    public function testExtendAndIsHeldNeedAMajorityThatStillHasTheKey(int $lost, bool $expected): void
    {
        $redLock = self::redLock(5);
        $lock = self::heldEverywhere($redLock);
        self::loseKeyOn($lost);
        self::assertSame($expected, $redLock->isHeld($lock));
        self::assertSame($expected, $redLock->extend($lock, 10_000) !== false);
    }

    /** @return iterable<string, array{int, bool}> */
    public static function lostKeys(): iterable
    {
        yield 'two of five lost it' => [2, true];
        yield 'three of five lost it' => [3, false];
    }

    /** @dataProvider fleetSizes */
    public function testIsHeldIsTrueWhileItIsHeldAndFalseAfterwards(int $servers): void
    {
        $redLock = self::redLock($servers);
        $lock = self::held($redLock, 'r');
        self::assertTrue($redLock->isHeld($lock));
        $redLock->unlock($lock);
        self::assertFalse($redLock->isHeld($lock));
    }

    public function testIsHeldIsFalseForAnotherToken(): void
    {
        $redLock = self::redLock(3);
        self::held($redLock, 'r');
        self::assertFalse($redLock->isHeld(['resource' => 'r', 'token' => 'guess']));
    }

    public function testIsHeldIsFalseWhenTheLockHasExpired(): void
    {
        $redLock = self::redLock(3);
        $lock = self::held($redLock, 'r', 50);
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the keys to expire');
        self::assertFalse($redLock->isHeld($lock));
        self::assertFalse($redLock->extend($lock, 1000));
    }

    /** @group real */
    public function testIsHeldIsFalseForAKeyOfAnotherType(): void
    {
        self::$fleet->each(static fn ($c) => $c->call('RPUSH', 'r', 'a'), 3);
        $redLock = self::redLock(3);
        self::assertFalse(self::withoutFailing(static fn () => $redLock->isHeld(['resource' => 'r', 'token' => 'a'])));
    }

    /** A server that errs is a vote against: a false answer and an exception are both honest. */
    private static function withoutFailing(callable $call): mixed
    {
        try {
            return $call();
        } catch (\RedLock\Exception) {
            return false;
        }
    }

    /** @group real */
    public function testTheyWorkAfterScriptFlush(): void
    {
        $redLock = self::redLock(3);
        $lock = self::held($redLock, 'r');
        self::$fleet->each(static fn ($c) => $c->call('SCRIPT', 'FLUSH'), 3);
        self::assertTrue($redLock->isHeld($lock));
        self::$fleet->each(static fn ($c) => $c->call('SCRIPT', 'FLUSH'), 3);
        self::assertIsArray($redLock->extend($lock, 5000));
    }
}
