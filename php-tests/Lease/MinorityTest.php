<?php

/** A lock that no majority of the servers has any more is lost at once, however many they are and whichever of them answer. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Lease;
use RedLock\LockManager;
use RedLock\Tests\Support\ServerTestCase;

/** @group real */
final class MinorityTest extends ServerTestCase
{
    private const DENIED = 'no majority of the servers has it';

    /**
     * A lease that so many of the first servers have lost, while so many of the last are down.
     *
     * @param array<string, mixed> $options
     */
    private function reduced(int $servers, int $lost, int $down, array $options = []): Lease
    {
        $fleet = $this->fleet($servers);
        $lease = (new LockManager($fleet->specs(null, 2.0)))->acquire('r', 60_000, 0, $options) ?? self::fail('the lock could not be taken');
        $fleet->lose('r', $lost, $down);
        return $lease;
    }

    /** @dataProvider minorities */
    public function testIsLostForWhoeverAsks(int $servers, int $lost, int $down): void
    {
        foreach (['confirm', 'extend', 'release'] as $method) {
            $lease = $this->reduced($servers, $lost, $down);
            self::assertFalse($lease->$method(), $method);
            self::assertSame(self::DENIED, $lease->lastErrors()['lock'] ?? null, $method);
            self::assertFalse($lease->isLive(), $method);
        }
    }

    /** @dataProvider minorities */
    public function testIsLostToWhoeverKeepsItAlive(int $servers, int $lost, int $down): void
    {
        $lease = $this->reduced($servers, $lost, $down, ['keepAlive' => true]);
        self::assertFalse($lease->extend());
        self::assertFalse($lease->isLive());
    }

    /** @return iterable<string, array{int, int, int}> */
    public static function minorities(): iterable
    {
        yield 'one of two' => [2, 1, 0];
        yield 'two of four' => [4, 2, 0];
        yield 'one of four, two are lost' => [4, 2, 1];
        yield 'one of five beside one that is down' => [5, 3, 1];
    }

    public function testIsNoneWhileTheSilentServersCouldMakeAMajority(): void
    {
        $lease = $this->reduced(5, 2, 1);
        self::assertFalse($lease->confirm());
        self::assertSame(['127.0.0.1'], array_unique(array_map(static fn (string $server): string => strtok($server, ':'), array_keys($lease->lastErrors()))));
        self::assertTrue($lease->isLive());
    }

    public function testALockThatIsToBeShortenedAndNoMajorityHasIsSaidToBeNobodys(): void
    {
        $lease = $this->reduced(3, 3, 0);
        self::assertFalse($lease->shorten(1_000));
        self::assertSame(['lock' => self::DENIED], $lease->lastErrors());
    }
}
