<?php

/** Taking a lock while all servers are in health. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\Monitor;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\SharedFleetTestCase;

final class LockTest extends SharedFleetTestCase
{
    private static function redLock(int $servers, int $retryDelay = 0, int $retryCount = 1): RedLock
    {
        return new RedLock(self::$fleet->specs($servers), $retryDelay, $retryCount);
    }

    /** Puts somebody else's key on the first servers. */
    private static function occupy(string $resource, int $servers, int $ttl = 60_000): void
    {
        self::$fleet->each(static fn ($c) => $c->call('SET', $resource, 'theirs', 'PX', $ttl), $servers);
    }

    /** @dataProvider fleetSizes */
    public function testALockIsAnArrayOfValidityResourceAndToken(int $servers): void
    {
        $lock = self::redLock($servers)->lock('r', 10_000);
        self::assertSame(['validity', 'resource', 'token'], array_keys($lock));
        self::assertIsFloat($lock['validity']);
        self::assertIsString($lock['token']);
    }

    /** @dataProvider fleetSizes */
    public function testTheValidityIsTtlMinusElapsedMinusDrift(int $servers): void
    {
        $start = Wait::now();
        $lock = self::held(self::redLock($servers), 'r', 10_000);
        $elapsedMs = (Wait::now() - $start) * 1000;
        self::assertLessThan(9898.0, $lock['validity'], 'drift is 1 % + 2 ms');
        self::assertGreaterThanOrEqual(9898.0 - $elapsedMs, $lock['validity']);
    }

    public function testTheDriftFactorIsAnOption(): void
    {
        $redLock = new RedLock(self::$fleet->specs(1), 0, 1, ['driftFactor' => 0.5]);
        $start = Wait::now();
        $validity = self::held($redLock, 'r', 10_000)['validity'];
        self::assertLessThan(4998.0, $validity);
        self::assertGreaterThanOrEqual(4998.0 - (Wait::now() - $start) * 1000, $validity);
    }

    public function testADriftFactorOfZeroLeavesTheTwoMilliseconds(): void
    {
        $redLock = new RedLock(self::$fleet->specs(1), 0, 1, ['driftFactor' => 0]);
        self::assertLessThan(9998.0, self::held($redLock, 'r', 10_000)['validity']);
    }

    /** @dataProvider fleetSizes */
    public function testTheKeyHoldsTheTokenOnAMajority(int $servers): void
    {
        $lock = self::held(self::redLock($servers), 'r');
        $holding = array_keys(self::$fleet->values('r', $servers), $lock['token'], true);
        self::assertGreaterThan($servers / 2, count($holding));
    }

    public function testTheKeyExpiresAfterTheTtl(): void
    {
        self::held(self::redLock(1), 'r', 5000);
        $left = self::$fleet->servers[0]->client()->call('PTTL', 'r');
        self::assertGreaterThan(0, $left);
        self::assertLessThanOrEqual(5000, $left);
    }

    public function testAnExpiredLockCanBeTakenAgain(): void
    {
        $redLock = self::redLock(3);
        $first = self::held($redLock, 'r', 60);
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the keys to expire');
        self::assertNotSame($first['token'], self::held($redLock, 'r')['token']);
    }

    /** @group real */
    public function testOnTheWireItIsSetNxPxWithoutAnyPrefix(): void
    {
        $monitor = new Monitor(self::$fleet->servers[0]);
        $lock = self::held(self::redLock(1), 'shop:cart', 7000);
        self::assertSame([['SET', 'shop:cart', $lock['token'], 'NX', 'PX', '7000']], $monitor->commandsNamed('SET'));
    }

    /** @dataProvider resources */
    public function testTheResourceComesBackAsItWasPassed(string|int $resource): void
    {
        $redLock = self::redLock(3);
        $lock = self::held($redLock, $resource);
        self::assertSame($resource, $lock['resource']);
        self::assertContains($lock['token'], self::$fleet->values($resource, 3), 'the key is the resource');
        self::assertTrue($redLock->isHeld($lock));
        self::assertTrue($redLock->unlock($lock));
    }

    /** @return iterable<string, array{string|int}> */
    public static function resources(): iterable
    {
        yield 'a word' => ['orders'];
        yield 'an empty string' => [''];
        yield 'an int' => [42];
        yield 'a negative int' => [-7];
        yield 'the largest int' => [PHP_INT_MAX];
        yield 'the smallest int' => [PHP_INT_MIN];
        yield 'digits in a string' => ['0042'];
        yield 'binary with a zero byte' => ["a\0b\xff\r\n\$5\r\n"];
        yield 'nothing but line breaks' => ["\r\n\r\n"];
        yield 'Unicode' => ['Straße/锁'];
        yield '64 KiB' => [str_repeat('k', 65_536)];
    }

    public function testAnIntAndItsDigitsAreTheSameResource(): void
    {
        self::held(self::redLock(3), 42);
        self::assertFalse(self::redLock(3)->lock('42', 1000));
    }

    /** @dataProvider fleetSizes */
    public function testWhatSomebodyElseHoldsIsFalse(int $servers): void
    {
        self::held(self::redLock($servers), 'r');
        self::assertFalse(self::redLock($servers)->lock('r', 10_000));
    }

    public function testTheHolderItselfCannotLockAgain(): void
    {
        $redLock = self::redLock(3);
        self::held($redLock, 'r');
        self::assertFalse($redLock->lock('r', 10_000));
    }

    public function testDifferentResourcesDoNotDisturbEachOther(): void
    {
        $redLock = self::redLock(3);
        self::held($redLock, 'a');
        self::assertIsArray($redLock->lock('b', 10_000));
    }

    /** @dataProvider majorities */
    public function testAMajorityOfTheConfiguredServersIsNeeded(int $servers, int $occupied, bool $granted): void
    {
        self::occupy('r', $occupied);
        self::assertSame($granted, self::redLock($servers)->lock('r', 10_000) !== false);
    }

    /** @return iterable<string, array{int, int, bool}> */
    public static function majorities(): iterable
    {
        yield '1 of 1' => [1, 0, true];
        yield '0 of 1' => [1, 1, false];
        yield '2 of 2' => [2, 0, true];
        yield '1 of 2' => [2, 1, false];
        yield '2 of 3' => [3, 1, true];
        yield '1 of 3' => [3, 2, false];
        yield '3 of 4' => [4, 1, true];
        yield '2 of 4' => [4, 2, false];
        yield '3 of 5' => [5, 2, true];
        yield '2 of 5' => [5, 3, false];
    }

    /** @group real */
    public function testALostAttemptLeavesNoKeysBehind(): void
    {
        self::occupy('r', 3);
        self::assertFalse(self::redLock(5, 5, 4)->lock('r', 60_000));
        $theirs = ['theirs', 'theirs', 'theirs', null, null];
        Wait::until(static fn (): bool => self::$fleet->values('r') === $theirs, 'the undo of the lost attempts');
        self::assertSame(3, self::$fleet->keyCount());
    }

    public function testALostAttemptLeavesTheHoldersKeysAlone(): void
    {
        $lock = self::held(self::redLock(5), 'r');
        $before = self::$fleet->values('r');
        self::assertFalse(self::redLock(5, 5, 4)->lock('r', 10_000));
        self::assertSame($before, self::$fleet->values('r'));
        self::assertTrue(self::redLock(5)->unlock($lock));
    }

    /**
     * @dataProvider attemptCounts
     * @group real
     */
    public function testTheNumberOfAttemptsIsAtLeastOne(int $retryCount, int $attempts): void
    {
        self::occupy('r', 1);
        $monitor = new Monitor(self::$fleet->servers[0]);
        self::assertFalse(self::redLock(1, 1, $retryCount)->lock('r', 10_000));
        self::assertCount($attempts, $monitor->commandsNamed('SET'));
    }

    /** @return iterable<string, array{int, int}> */
    public static function attemptCounts(): iterable
    {
        yield 'three for 3' => [3, 3];
        yield 'one for 1' => [1, 1];
        yield 'one for 0' => [0, 1];
        yield 'one for -4' => [-4, 1];
    }

    /** @group real */
    public function testEveryAttemptHasAFreshToken(): void
    {
        self::occupy('r', 1);
        $monitor = new Monitor(self::$fleet->servers[0]);
        self::assertFalse(self::redLock(1, 1, 5)->lock('r', 10_000));
        $tokens = array_column($monitor->commandsNamed('SET'), 2);
        self::assertCount(5, array_unique($tokens));
    }

    public function testATokenHasAtLeast128BitsWorthOfText(): void
    {
        $redLock = self::redLock(1);
        $tokens = [];
        for ($i = 0; $i < 200; ++$i) {
            $lock = self::held($redLock, 'r');
            $tokens[$lock['token']] = true;
            self::assertGreaterThanOrEqual(22, strlen($lock['token']), '22 characters of base 64 are 132 bits');
            $redLock->unlock($lock);
        }
        self::assertCount(200, $tokens);
    }

    public function testBetweenAttemptsThereIsAPauseOfHalfToTheWholeDelay(): void
    {
        self::occupy('r', 3);
        $took = self::secondsOf(static fn () => self::redLock(3, 200, 3)->lock('r', 10_000));
        self::assertGreaterThanOrEqual(0.2, $took, 'two pauses of at least 100 ms');
        self::assertLessThan(4.0, $took, 'two pauses of at most 200 ms');
    }

    public function testAfterTheLastAttemptThereIsNoPause(): void
    {
        self::occupy('r', 3);
        $took = self::secondsOf(static fn () => self::redLock(3, 60_000, 1)->lock('r', 10_000));
        self::assertLessThan(10.0, $took);
    }

    public function testALaterAttemptSucceedsWhenTheHolderIsGone(): void
    {
        self::occupy('r', 3, 300);
        self::assertIsArray(self::redLock(3, 50, 100)->lock('r', 10_000));
    }

    public function testLastErrorsIsEmptyAfterAnUndisturbedCall(): void
    {
        $redLock = self::redLock(5);
        self::held($redLock, 'r');
        self::assertSame([], $redLock->lastErrors());
        self::assertFalse($redLock->lock('r', 1000));
        self::assertSame([], $redLock->lastErrors(), 'busy is no error');
    }

    public function testThousandTurnsLeaveNoKeysBehind(): void
    {
        $redLock = self::redLock(5);
        for ($i = 0; $i < 1000; ++$i) {
            self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
        }
        Wait::until(static fn (): bool => self::$fleet->keyCount() === 0, 'the last key to be deleted');
        self::assertSame(0, self::$fleet->keyCount());
    }
}
