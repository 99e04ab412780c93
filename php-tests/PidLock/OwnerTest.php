<?php

/** Who may release: any object of the request, or with 'owner' => 'object' only the one that took the lock. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use Fiber;
use RedLock\Tests\Support\PidLockTestCase;

final class OwnerTest extends PidLockTestCase
{
    private const OBJECT = ['owner' => 'object'];

    public function testAnotherObjectOfTheRequestReleasesUnlessTheObjectIsTheOwner(): void
    {
        foreach ([[], ['owner' => 'request']] as $options) {
            self::assertSame(1, self::pidLock($options)->getPidLock('p', 10));
            self::assertTrue(self::pidLock($options)->holdsPidLock('p'));
            self::pidLock($options)->releasePidLock('p');
            self::assertNull(self::stamp());
        }
        $owner = self::pidLock(self::OBJECT);
        self::assertSame(1, $owner->getPidLock('p', 10));
        foreach ([[], self::OBJECT] as $options) {
            $other = self::pidLock($options);
            self::assertFalse($other->holdsPidLock('p'));
            self::assertSame(0.0, $other->remainingPidLock('p'));
            self::assertTrue($other->releasePidLock('p'));
        }
        self::assertTrue($owner->holdsPidLock('p'));
        $owner->releasePidLock('p');
        self::assertNull(self::stamp());
    }

    public function testAnObjectThatOwnsDoesNotReleaseWhatTheRequestOwns(): void
    {
        self::assertSame(1, self::pidLock()->getPidLock('p', 10));
        self::pidLock(self::OBJECT)->releasePidLock('p');
        self::assertNotNull(self::stamp());
    }

    public function testOneFiberCannotReleaseWhatAnotherTook(): void
    {
        $serve = static function (): array {
            $lock = self::pidLock(self::OBJECT);
            $got = $lock->getPidLock('p', 10);
            Fiber::suspend();
            $lock->releasePidLock('p');
            return [$got, self::stamp() === null];
        };
        $first = new Fiber($serve);
        $second = new Fiber($serve);
        $first->start();
        $second->start();
        $second->resume();
        self::assertSame([0, false], $second->getReturn());
        $first->resume();
        self::assertSame([1, true], $first->getReturn());
    }

    public function testTheEndOfAnObjectReleasesNothing(): void
    {
        $owner = self::pidLock(self::OBJECT);
        $owner->getPidLock('p', 10);
        $stamp = self::stamp();
        unset($owner);
        self::assertNotNull($stamp);
        self::assertSame($stamp, self::stamp());
    }

    public function testAnUnknownOwnerIsRefused(): void
    {
        $thrown = self::caught(\ValueError::class, static fn () => self::pidLock(['owner' => 'process']));
        self::assertStringContainsString("owner must be 'request' or 'object'", $thrown->getMessage());
        self::caught(\TypeError::class, static fn () => self::pidLock(['owner' => true]));
    }
}
