<?php

/** Leases and RedLock's handles are the same locks, and can be turned into each other. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock;
use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\LeaseTestCase;

final class InterchangeTest extends LeaseTestCase
{
    private static function redLock(): RedLock
    {
        return new RedLock(self::$fleet->specs(3), 0, 1);
    }

    public function testBothExcludeEachOther(): void
    {
        $lease = self::leased(self::locks(), 'a');
        self::assertFalse(self::redLock()->lock('a', 1000));
        self::held(self::redLock(), 'b');
        self::assertNull(self::locks()->acquire('b'));
        self::assertTrue($lease->isLive());
    }

    public function testRedLockUnderstandsTheHandleOfALease(): void
    {
        $lease = self::leased(self::locks());
        $handle = $lease->handle();
        self::assertSame(['validity', 'resource', 'token'], array_keys($handle));
        self::assertSame(['r', $lease->token], [$handle['resource'], $handle['token']]);
        self::assertGreaterThan(0.0, $handle['validity']);
        self::assertTrue(self::redLock()->isHeld($handle));
        self::assertIsArray(self::redLock()->extend($handle, 20_000));
        self::assertTrue(self::redLock()->unlock($handle));
        self::assertFalse($lease->confirm());
    }

    public function testALeaseIsMadeOfAHandle(): void
    {
        $handle = self::held(self::redLock(), 42);
        $lease = self::locks()->attach($handle);
        self::assertSame([42, $handle['token']], [$lease->resource, $lease->token]);
        self::assertLessThanOrEqual($handle['validity'], $lease->remaining());
        self::assertTrue($lease->confirm());
        self::assertTrue($lease->extend());
        self::assertTrue($lease->release());
    }

    public function testAnAttachedLeaseIsGivenBackAtTheEndOfItsScope(): void
    {
        self::locks()->attach(self::held(self::redLock(), 'r'));
        self::assertReleased();
    }

    /** @group real */
    public function testAttachAsksNobody(): void
    {
        $handle = ['validity' => 5000, 'resource' => 'r', 'token' => 't', 'more' => 'is no matter'];
        $lease = self::locks()->attach($handle, ['ttl' => 1000]);
        self::assertTrue($lease->isLive());
        self::assertSame(0, self::$fleet->calls('get') + self::$fleet->calls('eval'));
        self::assertFalse($lease->confirm(), 'there is no such lock');
    }

    /** @dataProvider validitiesThatAreOver */
    public function testAHandleWhoseValidityIsOverMakesALeaseThatIsNotLive(int|float $validity): void
    {
        $lease = self::locks()->attach(['validity' => $validity] + self::held(self::redLock(), 'r'), ['keepAlive' => true]);
        self::assertFalse($lease->isLive());
        self::assertFalse($lease->extend());
        self::assertTrue($lease->release(), 'the key was still there');
    }

    /** @return iterable<string, array{int|float}> */
    public static function validitiesThatAreOver(): iterable
    {
        yield 'nothing' => [0];
        yield 'less' => [-0.5];
        yield 'long ago' => [-1e300];
        yield 'as an int' => [PHP_INT_MIN];
    }

    public function testDetachLeavesTheLockToWhoeverHasTheHandle(): void
    {
        $lease = self::leased(self::locks());
        $handle = $lease->detach();
        self::assertGreaterThan(0.0, $handle['validity']);
        self::assertFalse($lease->isLive());
        self::assertFalse($lease->release());
        unset($lease);
        self::assertTrue(self::redLock()->isHeld($handle));
        self::assertTrue(self::locks()->attach($handle)->release());
    }

    /** @group real */
    public function testALeaseTravelsToAnotherProcess(): void
    {
        $handle = self::leased(self::locks())->detach();
        $code = '
            $locks = new RedLock\LockManager($args["servers"]);
            $lease = $locks->attach($args["handle"]);
            report([$lease->confirm(), $lease->extend(20000), $lease->release()]);
        ';
        $report = PhpProcess::run($code, ['servers' => self::$fleet->specs(3), 'handle' => $handle]);
        self::assertSame([true, true, true], $report);
    }
}
