<?php

/** Giving a lock back while all servers are in health. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\SharedFleetTestCase;

final class UnlockTest extends SharedFleetTestCase
{
    private static function redLock(int $servers): RedLock
    {
        return new RedLock(self::$fleet->specs($servers), 0, 1);
    }

    /** @dataProvider fleetSizes */
    public function testUnlockIsTrueAndDeletesTheKeyEverywhere(int $servers): void
    {
        $redLock = self::redLock($servers);
        self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
        Wait::until(static fn (): bool => self::$fleet->keyCount($servers) === 0, 'the keys to be deleted');
        self::assertIsArray($redLock->lock('r', 1000));
    }

    /** @dataProvider fleetSizes */
    public function testASecondUnlockIsFalse(int $servers): void
    {
        $redLock = self::redLock($servers);
        $lock = self::held($redLock, 'r');
        $redLock->unlock($lock);
        self::assertFalse($redLock->unlock($lock));
    }

    /** @dataProvider fleetSizes */
    public function testUnlockWithAForeignTokenIsFalseAndDeletesNothing(int $servers): void
    {
        $redLock = self::redLock($servers);
        $lock = self::held($redLock, 'r');
        self::assertFalse($redLock->unlock(['resource' => 'r', 'token' => 'guess']));
        self::assertTrue($redLock->isHeld($lock));
    }

    public function testUnlockOfAnExpiredLockIsFalse(): void
    {
        $redLock = self::redLock(3);
        $lock = self::held($redLock, 'r', 50);
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the keys to expire');
        self::assertFalse($redLock->unlock($lock));
    }

    public function testUnlockOfAnExpiredLockLeavesTheNextHolderAlone(): void
    {
        $redLock = self::redLock(3);
        $old = self::held($redLock, 'r', 50);
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the keys to expire');
        $new = self::held($redLock, 'r');
        self::assertFalse($redLock->unlock($old));
        self::assertTrue($redLock->isHeld($new));
    }

    /** @dataProvider lostKeys */
    public function testUnlockIsTrueOnlyWhenAMajorityStillHadTheKey(int $lost, bool $expected): void
    {
        $redLock = self::redLock(5);
        $lock = self::held($redLock, 'r');
        Wait::until(static fn (): bool => self::$fleet->keyCount() === 5, 'the key on all servers');
        self::$fleet->each(static fn ($c) => $c->call('DEL', 'r'), $lost);
        self::assertSame($expected, $redLock->unlock($lock));
    }

    /** @return iterable<string, array{int, bool}> */
    public static function lostKeys(): iterable
    {
        yield 'one of five lost it' => [1, true];
        yield 'two of five lost it' => [2, true];
        yield 'three of five lost it' => [3, false];
        yield 'all lost it' => [5, false];
    }

    public function testAHandleBuiltByHandUnlocks(): void
    {
        $redLock = self::redLock(3);
        $lock = self::held($redLock, 'r');
        self::assertTrue($redLock->unlock(['token' => $lock['token'], 'resource' => 'r']));
    }

    public function testAHandleThatWentThroughJsonUnlocks(): void
    {
        $redLock = self::redLock(3);
        $json = json_encode(self::held($redLock, 'r'), JSON_THROW_ON_ERROR);
        self::assertTrue($redLock->unlock(json_decode($json, true)));
    }

    public function testAHandleOfAnIntResourceUnlocksByItsDigitsToo(): void
    {
        $redLock = self::redLock(3);
        $lock = self::held($redLock, 42);
        self::assertTrue($redLock->unlock(['resource' => '42', 'token' => $lock['token']]));
    }

    public function testAHandleWithFurtherKeysUnlocks(): void
    {
        $redLock = self::redLock(3);
        self::assertTrue($redLock->unlock(self::held($redLock, 'r') + ['job' => 7, 0 => 'x']));
    }

    public function testAHandleOfReferencesUnlocks(): void
    {
        $redLock = self::redLock(3);
        $lock = self::held($redLock, 'r');
        $token = $lock['token'];
        $lock['token'] = &$token;
        self::assertTrue($redLock->unlock($lock));
    }

    public function testAHandleOfOneObjectUnlocksThroughAnother(): void
    {
        self::assertTrue(self::redLock(3)->unlock(self::held(self::redLock(3), 'r')));
    }

    /** @group real */
    public function testAHandleOfOneProcessUnlocksInAnother(): void
    {
        $code = '$r = new RedLock($args["servers"], 0, 1); report($r->lock("r", 10000));';
        $lock = PhpProcess::run($code, ['servers' => self::$fleet->specs(3)]);
        self::assertTrue(self::redLock(3)->unlock($lock));
    }

    /** @group real */
    public function testTheEndOfTheRequestReleasesNothing(): void
    {
        $code = '$r = new RedLock($args["servers"], 0, 1); report($r->lock("r", 10000));';
        $lock = PhpProcess::run($code, ['servers' => self::$fleet->specs(3)]);
        self::assertFalse(self::redLock(3)->lock('r', 1000));
        self::assertTrue(self::redLock(3)->isHeld($lock));
    }

    public function testTheEndOfTheObjectReleasesNothing(): void
    {
        $redLock = self::redLock(3);
        $lock = self::held($redLock, 'r');
        unset($redLock);
        gc_collect_cycles();
        self::assertTrue(self::redLock(3)->isHeld($lock));
    }

    /** @group real */
    public function testUnlockWorksAfterScriptFlush(): void
    {
        $redLock = self::redLock(3);
        for ($i = 0; $i < 3; ++$i) {
            $lock = self::held($redLock, 'r');
            self::$fleet->each(static fn ($c) => $c->call('SCRIPT', 'FLUSH'), 3);
            self::assertTrue($redLock->unlock($lock));
        }
        self::assertSame([], $redLock->lastErrors());
    }

    /** @group real */
    public function testAKeyOfAnotherTypeIsNotDeleted(): void
    {
        self::$fleet->each(static fn ($c) => $c->call('RPUSH', 'r', 'a'), 3);
        self::assertFalse(self::redLock(3)->unlock(['resource' => 'r', 'token' => 'a']));
        self::assertSame(3, self::$fleet->keyCount(3));
    }
}
