<?php

/** False that the servers have said is told from false that nobody has proven. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock;
use RedLock\Tests\Support\UndecidedTestCase;

final class DenialTest extends UndecidedTestCase
{
    private const DENIED = 'no majority of the servers has it';

    /**
     * @dataProvider questions
     * @group real
     */
    public function testANoThatTheServersSaidIsToldFromOneThatNobodyHasProven(string $method): void
    {
        $this->servers->leaveUndecided('r');
        self::assertFalse($this->lease->$method());
        self::assertSame([$this->servers->servers[2]->name()], array_keys($this->lease->lastErrors()));
        $this->servers->servers[2]->cont();
        if ($method === 'release') {
            $this->lease = $this->locks->acquire('r', 60_000, 2_000) ?? self::fail('the lock could not be taken');
        }
        $this->servers->each(static fn ($client) => $client->call('DEL', 'r'));
        self::assertFalse($this->lease->$method());
        self::assertSame(self::DENIED, $this->lease->lastErrors()['lock'] ?? null);
    }

    /** @dataProvider questions */
    public function testAMajoritysNoIsWaitedForBesideAServerThatIsDown(string $method): void
    {
        // It refuses before the others have answered.
        $this->servers->each(static fn ($client) => $client->call('DEL', 'r'));
        $this->servers->servers[0]->kill9();
        self::assertFalse($this->lease->$method());
        self::assertSame(self::DENIED, $this->lease->lastErrors()['lock'] ?? null);
    }

    /** @return iterable<string, array{string}> */
    public static function questions(): iterable
    {
        foreach (['confirm', 'extend', 'release'] as $method) {
            yield $method => [$method];
        }
    }

    public function testTheClassRedLockSaysNothingOfAPlainNo(): void
    {
        $redLock = new RedLock($this->servers->specs());
        self::assertFalse($redLock->unlock(['validity' => 0.0, 'resource' => 'r', 'token' => 'another']));
        self::assertSame([], $redLock->lastErrors());
    }
}
