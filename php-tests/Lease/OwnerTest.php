<?php

/** Who has a lock, and taking it away from them: owner, inspect, forceRelease. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\LeaseTestCase;

final class OwnerTest extends LeaseTestCase
{
    /** @dataProvider names */
    public function testTheOwnersNameStandsInTheToken(string $name): void
    {
        $lease = self::leased(self::locks(), 'r', 10_000, ['owner' => $name]);
        self::assertStringStartsWith("$name:", $lease->token);
        self::assertMatchesRegularExpression('/^[0-9a-f]{32}$/', substr($lease->token, strlen($name) + 1));
        self::assertSame($name, self::locks()->owner('r'));
        self::assertSame($name, self::locks()->inspect('r')['owner']);
        self::assertTrue($lease->release());
        self::assertNull(self::locks()->owner('r'));
    }

    /** @return iterable<string, array{string}> */
    public static function names(): iterable
    {
        yield 'a word' => ['worker-7'];
        yield 'with colons' => ['host:123:'];
        yield 'any bytes' => ["\0\xff:\r\n"];
        yield 'a long one' => [str_repeat('o', 256)];
    }

    public function testWithoutANameItIsTheToken(): void
    {
        $lease = self::leased(self::locks());
        self::assertSame($lease->token, self::locks()->owner('r'));
        self::assertNull(self::locks()->inspect('r')['owner']);
    }

    /** @group real */
    public function testInspectShowsEveryServer(): void
    {
        $lease = self::leased(self::locks(), 'r', 20_000, ['owner' => 'me']);
        self::$fleet->servers[2]->client()->call('SET', 'r', 'other', 'PX', 5000);
        $seen = self::locks()->inspect('r');
        self::assertSame(['resource', 'decided', 'token', 'owner', 'ttl', 'waiters', 'line', 'readers', 'servers'], array_keys($seen));
        self::assertSame(['r', $lease->token, 'me'], [$seen['resource'], $seen['token'], $seen['owner']]);
        self::assertIsFloat($seen['ttl']);
        self::assertGreaterThan(10_000.0, $seen['ttl']);
        self::assertLessThanOrEqual(20_000.0, $seen['ttl']);
        $names = array_map(static fn ($server) => $server->name(), array_slice(self::$fleet->servers, 0, 3));
        self::assertSame($names, array_keys($seen['servers']));
        foreach (array_slice($names, 0, 2) as $name) {
            self::assertSame([$lease->token, 'me', null], [$seen['servers'][$name]['token'], $seen['servers'][$name]['owner'], $seen['servers'][$name]['error']]);
        }
        $third = $seen['servers'][$names[2]];
        self::assertSame(['other', null, null], [$third['token'], $third['owner'], $third['error']]);
        self::assertLessThanOrEqual(5000.0, $third['ttl']);
    }

    public function testInspectOfAFreeLock(): void
    {
        $seen = self::locks(1)->inspect(42);
        $free = ['token' => null, 'owner' => null, 'ttl' => null, 'waiters' => 0, 'line' => [], 'readers' => null];
        $name = self::$fleet->servers[0]->name();
        self::assertSame(['resource' => 42, 'decided' => true] + $free + ['servers' => [$name => $free + ['error' => null]]], $seen);
    }

    /** @group real */
    public function testInspectCountsThoseWhoStandInLine(): void
    {
        foreach ([3, 1, 2] as $index => $waiters) {
            $line = array_merge(...array_map(static fn (int $ticket): array => [$ticket, "waiter $ticket"], range(1, $waiters)));
            self::$fleet->servers[$index]->client()->call('ZADD', 'r:redlock:line', ...$line);
        }
        $seen = self::locks()->inspect('r');
        self::assertSame(2, $seen['waiters'], 'so many at least stand in the lines of a majority');
        self::assertSame([3, 1, 2], array_column($seen['servers'], 'waiters'));
        $lease = self::leased(self::locks());
        self::assertSame([2, $lease->token], [self::locks()->inspect('r')['waiters'], self::locks()->inspect('r')['token']]);
    }

    /** @group real */
    public function testInspectNamesWhoIsInTheLinesOfAMajority(): void
    {
        $now = (int) (microtime(true) * 1000);
        foreach ([['boss' => 5000, 'nobody' => 4000], ['worker' => 3000, 'boss' => 9000], ['worker' => 1000]] as $index => $line) {
            foreach ($line as $owner => $waited) {
                $who = $owner === 'nobody' ? 'abc' : $owner . ':' . str_repeat('0', 32);
                self::$fleet->servers[$index]->client()->call('ZADD', 'r:redlock:line', $now - $waited, $who);
            }
        }
        $seen = self::locks()->inspect('r');
        self::assertSame(['boss', 'worker'], array_column($seen['line'], 'owner'), 'the longest wait first');
        self::assertSame('boss:' . str_repeat('0', 32), $seen['line'][0]['token']);
        self::assertIsFloat($seen['line'][0]['waited']);
        self::assertGreaterThanOrEqual(9000.0, $seen['line'][0]['waited'], 'as long as anybody knows of');
        self::assertLessThan(60000.0, $seen['line'][0]['waited']);
        self::assertSame(['boss', null], array_column(array_values($seen['servers'])[0]['line'], 'owner'));
    }

    /** @group real */
    public function testInspectDoesWithoutALineThatItMayNotCount(): void
    {
        $lease = self::leased(self::locks());
        foreach ([0, 1] as $index) {
            self::$fleet->servers[$index]->client()->call('SET', 'r:redlock:line', 'no line');
        }
        $seen = self::locks()->inspect('r');
        self::assertSame([$lease->token, null], [$seen['token'], $seen['waiters']]);
        self::assertSame([null, null, 0], array_column($seen['servers'], 'waiters'));
        self::assertSame([null, null, null], array_column($seen['servers'], 'error'));
    }

    public function testInspectTellsWhoGaveNoAnswer(): void
    {
        $fleet = $this->fleet(3);
        $locks = new LockManager($fleet->specs(3, 0.3));
        $lease = self::leased($locks);
        $fleet->servers[0]->kill9();
        $fleet->servers[1]->stop();
        $seen = $locks->inspect('r');
        self::assertNull($seen['token']);
        [$dead, $silent, $well] = array_values($seen['servers']);
        self::assertNull($dead['token']);
        self::assertStringContainsStringIgnoringCase('connection', $dead['error']);
        self::assertStringContainsString('300 ms', $silent['error']);
        self::assertSame([$lease->token, null], [$well['token'], $well['error']]);
        foreach (['owner', 'forceRelease'] as $method) {
            $error = self::caught(QuorumException::class, static fn () => $locks->$method('r'));
            self::assertStringStartsWith("RedLock\\LockManager::$method(): no majority of 3 servers could be asked", $error->getMessage());
        }
    }

    /** @group real */
    public function testInspectOfOrdinaryDataHasNoTtlOrAnError(): void
    {
        $client = self::$fleet->servers[0]->client();
        $client->call('SET', 'r', 'data');
        $seen = self::locks(1)->inspect('r');
        self::assertSame(['data', null], [$seen['token'], $seen['ttl']]);
        $client->call('DEL', 'r');
        $client->call('RPUSH', 'r', 'data');
        $seen = self::locks(1)->inspect('r');
        self::assertNull($seen['token']);
        self::assertStringContainsString('the key has another type', $seen['servers'][self::$fleet->servers[0]->name()]['error']);
    }

    public function testForceReleaseTakesALockAway(): void
    {
        $lease = self::leased(self::locks());
        self::assertTrue(self::locks()->forceRelease('r'));
        self::assertReleased();
        self::assertFalse($lease->confirm());
        self::assertFalse(self::locks()->forceRelease('r'), 'nobody has it');
    }

    /** @group real */
    public function testForceReleaseLeavesWhatNoMajorityHoldsAndWhatIsNoLock(): void
    {
        self::$fleet->servers[0]->client()->call('SET', 'r', 'few', 'PX', 60_000);
        self::assertFalse(self::locks()->forceRelease('r'));
        self::$fleet->each(static fn ($client) => $client->call('SET', 'data', 'ordinary'), 3);
        self::assertFalse(self::locks()->forceRelease('data'));
        self::assertSame(['ordinary', 'ordinary', 'ordinary'], self::$fleet->values('data', 3));
        self::assertSame('few', self::$fleet->values('r', 1)[0]);
    }

    /** @group real */
    public function testForceReleaseLeavesTheMinorityToItsOwner(): void
    {
        self::$fleet->each(static fn ($client) => $client->call('SET', 'r', 'many', 'PX', 60_000), 2);
        self::$fleet->servers[2]->client()->call('SET', 'r', 'other', 'PX', 60_000);
        self::assertTrue(self::locks()->forceRelease('r'));
        self::assertSame([null, null, 'other'], self::$fleet->values('r', 3));
    }
}
