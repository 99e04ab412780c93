<?php

/** Servers that do not let us stand in line, and managers that are not to: then it is waited by polling, and told. */

declare(strict_types=1);

namespace RedLock\Tests\Line;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\Document;
use RedLock\Tests\Support\LineTestCase;

final class RefusalsTest extends LineTestCase
{
    /** What a user had to have before there were lines. */
    private const OLD_RULES = '~lock:* ~r ~r:* +set +get +del +pttl +pexpire +time +eval +evalsha +select +client|setname';

    /** The rules of docs/operations.md, for the resource of these tests, without some. */
    private static function rules(string ...$without): string
    {
        $words = array_slice(explode(' ', trim((new Document('docs/operations.md'))->code('Access'))), 4);
        $words = array_diff($words, ['reset', 'on', '>password', ...$without]);
        return implode(' ', ['~r', '~r:*', ...$words]);
    }

    private function serverWithUser(string $rules): RedisServer
    {
        return $this->server([], ['user default on nopass ~* &* +@all', "user locks on >password resetchannels $rules"]);
    }

    /** @return array<string, mixed> */
    private static function spec(RedisServer $server): array
    {
        return ['host' => '127.0.0.1', 'port' => $server->port, 'timeout' => 2.0, 'auth' => ['locks', 'password']];
    }

    /** @dataProvider refusals */
    public function testWhoMayNotStandInLinePollsAndSaysWhy(string $rules, string $reason, int $left = 0): void
    {
        $server = $this->serverWithUser($rules);
        $held = self::holding([self::spec($server)]);
        $waiter = $this->waiter(['servers' => [self::spec($server)], 'options' => ['retryDelay' => 20]]);
        // Every attempt is a SET that is refused.
        $sets = static fn (): int => $server->calls('set');
        Wait::until(static fn (): bool => $sets() >= 5, 'the waiter to poll');
        self::assertSame($left, $server->client()->call('EXISTS', 'r:redlock:line', 'r:redlock:waiters'));
        self::assertTrue($held->release());
        $report = self::assertGot($waiter);
        self::assertSame([$server->name()], array_keys($report['errors']));
        self::assertStringStartsWith('waits by polling: ', $report['errors'][$server->name()]);
        self::assertStringContainsString($reason, $report['errors'][$server->name()]);
        self::giveBack($waiter);
        self::assertSame($left, $server->client()->call('DBSIZE'));
    }

    /** @return iterable<string, array{0: string, 1: string, 2?: int}> how many keys stay until they expire */
    public static function refusals(): iterable
    {
        yield 'the rules from before there were lines' => [self::OLD_RULES, 'NOPERM'];
        yield 'no channel' => [self::rules('&redlock:*'), 'NOPERM'];
        yield 'no SUBSCRIBE' => [self::rules('+subscribe'), 'NOPERM'];
        yield 'no line' => [self::rules('+zadd'), 'script'];
        foreach (['+publish' => 0, '+zrange' => 0, '+hlen' => 0, '+zrem' => 1, '+hdel' => 1] as $rule => $left) {
            yield "no hand-over without $rule" => [self::rules($rule), '', $left];
        }
        yield 'no keys beside the lock\'s own' => [str_replace('~r:* ~lock:*', '', self::rules()), ''];
    }

    /** @dataProvider rulesBehindTheFirst */
    public function testWhatStaysOfAJoinThatIsRefusedInTheMiddleHasAnEnd(string $rule): void
    {
        $server = $this->serverWithUser(self::rules($rule));
        $held = self::holding([self::spec($server)]);
        $waiter = $this->waiter(['servers' => [self::spec($server)], 'options' => ['retryDelay' => 20]]);
        Wait::until(static fn (): bool => $server->calls('set') >= 5, 'the waiter to poll');
        self::assertGreaterThan(0, $server->client()->call('PTTL', 'r:redlock:line'));
        $held->release();
        self::assertGot($waiter);
        self::giveBack($waiter);
    }

    /** @return iterable<string, array{string}> */
    public static function rulesBehindTheFirst(): iterable
    {
        foreach (['+zrem', '+hdel', '+zcard', '+hset'] as $rule) {
            yield $rule => [$rule];
        }
    }

    /** @dataProvider lineKeys */
    public function testWhereAKeyOfTheLineHoldsSomethingElseItIsPolled(string $key): void
    {
        $server = $this->server();
        $server->client()->call('SET', $key, 'x');
        $spec = ['host' => '127.0.0.1', 'port' => $server->port, 'timeout' => 2.0];
        $held = self::holding([$spec]);
        $waiter = $this->waiter(['servers' => [$spec], 'options' => ['retryDelay' => 20]]);
        Wait::until(static fn (): bool => $server->calls('set') >= 6, 'the waiter to poll');
        self::assertTrue($held->release());
        self::assertStringContainsString('holds something else', self::assertGot($waiter)['errors'][$server->name()]);
        self::giveBack($waiter);
        self::assertSame('x', $server->client()->call('GET', $key));
    }

    /** @return iterable<string, array{string}> */
    public static function lineKeys(): iterable
    {
        yield 'the line' => ['r:redlock:line'];
        yield 'the waiters' => ['r:redlock:waiters'];
    }

    public function testWhoMayNotHandOnLeavesItToTheFirstInLine(): void
    {
        $old = 'user old on >password resetchannels ' . self::OLD_RULES;
        $server = $this->server([], ['user default on nopass ~* &* +@all', 'user locks on >password resetchannels ' . self::rules(), $old]);
        $held = self::holding([['auth' => ['old', 'password']] + self::spec($server)]);
        $waiter = $this->waiter(['servers' => [self::spec($server)]]);
        Wait::until(static fn (): bool => $server->client()->call('ZCARD', 'r:redlock:line') === 1, 'the waiter to stand in line');
        $free = Wait::now();
        self::assertTrue($held->release(), 'it gives its own back all the same');
        self::assertLessThan(self::SOON, self::assertGot($waiter)['at'] - $free);
    }

    public function testARuleThatOnlyMakesAReleaseCheaperIsNotNeededForAHandOver(): void
    {
        $server = $this->serverWithUser(self::rules('+exists'));
        $held = self::holding([self::spec($server)]);
        $waiter = $this->waiter(['servers' => [self::spec($server)]]);
        Wait::until(static fn (): bool => $server->client()->call('ZCARD', 'r:redlock:line') === 1, 'the waiter to stand in line');
        self::assertTrue($held->release());
        self::assertSame([], self::assertGot($waiter)['errors']);
        self::assertSame(3, $server->calls('set'), 'the first, the one that found it held, and the hand-over; whoever polls asks again');
        self::giveBack($waiter);
        self::assertSame(0, $server->client()->call('DBSIZE'));
    }

    /** @dataProvider handingOn */
    public function testWhoMayNotDoAllOfAHandOverLeavesItToTheFirstInLineWhoeverThatIs(string $rule): void
    {
        $less = 'user less on >password resetchannels ' . self::rules($rule);
        $server = $this->server([], ['user default on nopass ~* &* +@all', 'user locks on >password resetchannels ' . self::rules(), $less]);
        $held = self::holding([['auth' => ['less', 'password']] + self::spec($server)]);
        $waiters = [];
        foreach ([1, 2, 3] as $place) {
            $waiters[] = $this->waiter(['servers' => [self::spec($server)], 'ttl' => 60_000]);
            Wait::until(static fn (): bool => $server->client()->call('ZCARD', 'r:redlock:line') === $place, 'the waiters to stand in line');
        }
        foreach ($waiters as $waiter) {
            $free = Wait::now();
            $held === null ? self::giveBack($before) : self::assertTrue($held->release());
            self::assertLessThan(self::SOON, self::assertGot($waiter)['at'] - $free);
            [$held, $before] = [null, $waiter];
        }
        self::giveBack($before);
        self::assertSame(0, $server->client()->call('EXISTS', 'r'));
    }

    /** @return iterable<string, array{string}> */
    public static function handingOn(): iterable
    {
        foreach (['+time', '+hlen', '+zrange', '+hget', '+hset', '+hdel', '+zrem', '+publish'] as $rule) {
            yield $rule => [$rule];
        }
    }

    /** @dataProvider renamedCommands */
    public function testCommandsThatWereRenamedAwayAreNamed(string $command): void
    {
        $server = $this->server(['rename-command' => "$command ANOTHER"]);
        $spec = ['127.0.0.1', $server->port, 2.0];
        $held = self::holding([$spec]);
        $waiter = $this->waiter(['servers' => [$spec], 'options' => ['retryDelay' => 20]]);
        Wait::until(static fn (): bool => $server->calls('set') >= 5, 'the waiter to poll');
        self::assertTrue($held->release());
        $report = self::assertGot($waiter);
        self::assertStringStartsWith('waits by polling: ', $report['errors'][$server->name()]);
        self::assertMatchesRegularExpression('/unknown( Redis)? command/i', $report['errors'][$server->name()]);
        self::giveBack($waiter);
    }

    /** @return iterable<string, array{string}> */
    public static function renamedCommands(): iterable
    {
        yield 'SUBSCRIBE' => ['SUBSCRIBE'];
        yield 'ZADD' => ['ZADD'];
        yield 'HSET' => ['HSET'];
    }

    public function testWhereOnlyAMinorityRefusesItIsWaitedInLineAtTheOthers(): void
    {
        $servers = [$this->serverWithUser(self::OLD_RULES), $this->serverWithUser(self::rules()), $this->serverWithUser(self::rules())];
        $specs = array_map(self::spec(...), $servers);
        $held = self::holding($specs);
        $waiter = $this->waiter(['servers' => $specs]);
        foreach ([1, 2] as $index) {
            Wait::until(static fn (): bool => $servers[$index]->client()->call('ZCARD', 'r:redlock:line') === 1, 'the waiter to stand in line');
        }
        Wait::until(static fn (): bool => $servers[0]->client()->call('ACL', 'LOG') !== [], 'the first to have refused');
        $free = Wait::now();
        $held->release();
        $report = self::assertGot($waiter);
        self::assertLessThan(self::AT_ONCE, $report['at'] - $free);
        self::assertSame(1, $report['handedOver']);
        self::assertSame([$servers[0]->name()], array_keys($report['errors']));
        self::assertStringContainsString('NOPERM', $report['errors'][$servers[0]->name()]);
    }

    public function testAManagerThatIsNotToStandInLinePollsWithoutAWord(): void
    {
        $lease = self::holding();
        self::$fleet->each(static fn ($client) => $client->call('CONFIG', 'RESETSTAT'));
        $waiter = $this->waiter(['options' => ['line' => false, 'retryDelay' => 20]]);
        Wait::until(static fn (): bool => self::$fleet->servers[0]->calls('set') >= 5, 'the waiter to poll');
        $lease->release();
        $report = self::assertGot($waiter);
        self::assertSame([[], 0], [$report['errors'], $report['handedOver']]);
        self::assertSame([0, 0], [self::$fleet->calls('subscribe'), self::$fleet->calls('zadd')]);
        self::giveBack($waiter);
        self::assertNothingIsLeft();
    }

    public function testOneAttemptNeverStandsInLine(): void
    {
        $lease = self::holding();
        self::$fleet->each(static fn ($client) => $client->call('CONFIG', 'RESETSTAT'));
        self::assertNull(self::locks()->acquire('r', 1000, 0));
        self::assertSame([3, 0, 0], [self::$fleet->calls('set'), self::$fleet->calls('subscribe'), self::$fleet->calls('zadd')]);
        self::assertTrue($lease->isLive());
    }

    public function testAnUncontendedWaitCostsWhatOneAttemptCosts(): void
    {
        $listeners = PhpProcess::run('
            $locks = new RedLock\LockManager($args["servers"]);
            $locks->acquire("r", 30000, 60000)->release();
            report($locks->stats()["listeners"]);
        ', ['servers' => self::$fleet->specs(3, 2.0)]);
        self::assertSame(0, $listeners);
        self::assertSame([3, 0, 0], [self::$fleet->calls('set'), self::$fleet->calls('subscribe'), self::$fleet->calls('zadd')]);
    }
}
