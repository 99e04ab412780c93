<?php

/** What php-lock asks of every mutex, of this one on different servers and with different timeouts. */

declare(strict_types=1);

namespace RedLock\PhpLock\Tests;

use Malkusch\Lock\Mutex\Mutex;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\PhpLock\RedLockMutex;

final class MutexTest extends MutexTestCase
{
    /** @return iterable<string, array{\Closure(): Mutex}> each makes a mutex of the same lock */
    public static function mutexes(): iterable
    {
        yield 'on one server' => [static fn (): Mutex => self::mutex(servers: 1)];
        yield 'on three servers' => [static fn (): Mutex => self::mutex()];
        yield 'that waits for ever' => [static fn (): Mutex => self::mutex(\INF)];
        yield 'that does not wait' => [static fn (): Mutex => self::mutex(0.0)];
        yield 'that expires' => [static fn (): Mutex => self::mutex(20.0, 10.0)];
        yield 'of servers in an array' => [static fn (): Mutex => new RedLockMutex(self::$fleet->specs(3), 'r')];
        yield 'of servers in a string' => [static fn (): Mutex => new RedLockMutex(self::$fleet->names(3), 'r')];
        yield 'of a server in a string' => [static fn (): Mutex => new RedLockMutex(self::$fleet->servers[0]->name(), 'r')];
    }

    /** @param \Closure(): Mutex $make */
    #[DataProvider('mutexes')]
    public function testTheResultOfTheCodeIsReturned(\Closure $make): void
    {
        self::assertSame(['a' => 1], $make()->synchronized(static fn (): array => ['a' => 1]));
        self::assertNull($make()->synchronized(static function (): void {
        }));
    }

    /** @param \Closure(): Mutex $make */
    #[DataProvider('mutexes')]
    public function testTheCodeRunsUnderTheLock(\Closure $make): void
    {
        $held = $make()->synchronized(static fn (): int => self::$fleet->keyCount(3));
        self::assertGreaterThan(0, $held);
    }

    /** @param \Closure(): Mutex $make */
    #[DataProvider('mutexes')]
    public function testTheLockIsFreeAfterwards(\Closure $make): void
    {
        $mutex = $make();
        $count = 0;
        for ($i = 0; $i < 3; ++$i) {
            $mutex->synchronized(static function () use (&$count): void {
                ++$count;
            });
        }
        $make()->synchronized(static function () use (&$count): void {
            ++$count;
        });
        self::assertSame(4, $count);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    /** @param \Closure(): Mutex $make */
    #[DataProvider('mutexes')]
    public function testTheCodesExceptionIsThrownAndTheLockIsFree(\Closure $make): void
    {
        $mutex = $make();
        $thrown = new \DomainException('enough');
        $caught = self::caught(\DomainException::class, static fn () => $mutex->synchronized(static fn () => throw $thrown));
        self::assertSame($thrown, $caught);
        self::assertSame(0, self::$fleet->keyCount(3));
        self::assertTrue($mutex->synchronized(static fn (): bool => true));
    }

    /** @param \Closure(): Mutex $make */
    #[DataProvider('mutexes')]
    public function testACheckThatFailsTakesNoLock(\Closure $make): void
    {
        $never = static fn () => self::fail('the check said no');
        self::assertFalse($make()->check(static fn (): bool => false)->then($never));
        self::assertSame(0, self::$fleet->calls('set', 3) + self::$fleet->calls('eval', 3) + self::$fleet->calls('evalsha', 3));
    }

    /** @param \Closure(): Mutex $make */
    #[DataProvider('mutexes')]
    public function testACheckIsMadeAgainUnderTheLock(\Closure $make): void
    {
        $held = [];
        $check = static function () use (&$held): bool {
            $held[] = self::$fleet->keyCount(3) > 0;
            return true;
        };
        self::assertSame('done', $make()->check($check)->then(static fn (): string => 'done'));
        self::assertSame([false, true], $held);
    }
}
