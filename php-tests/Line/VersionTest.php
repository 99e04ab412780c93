<?php

/** A line that a newer version keeps: who does not know it polls and says so, and serves nobody there. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\LineTestCase;

final class VersionTest extends LineTestCase
{
    /** Somebody newer stands in the lines of the first servers, in words that this version does not know. */
    private static function newer(int $servers, string $version = '3'): void
    {
        self::$fleet->each(static function (RespClient $client) use ($version): void {
            $client->call('HSET', 'r:redlock:waiters', '!', $version, 'theirs', 'words of their own');
            $client->call('ZADD', 'r:redlock:line', 1, 'theirs');
        }, $servers);
    }

    /** Whoever is newer was not struck out, served or forgotten. */
    private static function assertUntouched(int $servers): void
    {
        $kept = static fn (RespClient $c): array => [
            $c->call('ZRANGE', 'r:redlock:line', 0, -1), $c->call('HGET', 'r:redlock:waiters', 'theirs'),
        ];
        self::assertSame(array_fill(0, $servers, [['theirs'], 'words of their own']), self::$fleet->each($kept, $servers));
    }

    public function testWhoWaitsTherePollsAndSaysSo(): void
    {
        $held = self::holding();
        self::newer(3);
        $waiter = $this->waiter(['options' => ['retryDelay' => 20]]);
        Wait::until(static fn (): bool => self::$fleet->calls('set', 3) >= 15, 'the waiter to poll');
        self::assertTrue($held->release());
        $report = self::assertGot($waiter);
        self::assertGreaterThanOrEqual(2, count($report['errors']));
        foreach ($report['errors'] as $reason) {
            self::assertStringStartsWith('waits by polling: VERSION', $reason);
        }
        self::giveBack($waiter);
        self::assertUntouched(3);
    }

    public function testTheLinesOfAMajorityAreEnough(): void
    {
        $held = self::holding();
        self::newer(1);
        $waiter = $this->waiter();
        self::awaitLines([1, 1, 1]);
        $start = Wait::now();
        self::assertTrue($held->release());
        self::assertSame(1, self::assertGot($waiter)['handedOver']);
        self::assertLessThan(self::AT_ONCE * 10, Wait::now() - $start);
        self::giveBack($waiter);
        self::assertUntouched(1);
    }

    public function testTheFirstVersionIsTheOneThatWritesNone(): void
    {
        $held = self::holding();
        self::$fleet->each(static fn (RespClient $c): mixed => $c->call('HSET', 'r:redlock:waiters', '!', '1'), 3);
        $waiter = $this->waiterInLine();
        self::assertTrue($held->release());
        self::assertSame(1, self::assertGot($waiter)['handedOver']);
        self::giveBack($waiter);
    }
}
