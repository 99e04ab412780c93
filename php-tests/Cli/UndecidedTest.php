<?php

/** redlock where a server's silence leaves it open whether a majority holds a lock, and where what stands there is no lock. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\Fleet;
use RedLock\Tests\Support\CliTestCase;

final class UndecidedTest extends CliTestCase
{
    private Fleet $servers;
    /** @var list<string> */
    private array $there;

    protected function setUp(): void
    {
        parent::setUp();
        $this->servers = $this->fleet(3);
        $names = array_map(static fn ($server): string => $server->name(), $this->servers->servers);
        $this->there = ['--servers', implode(',', $names), '--timeout', '200ms'];
        $this->servers->each(static fn ($client) => $client->call('SET', 'r', 'somebody', 'PX', 60_000));
        $this->servers->leaveUndecided('r');
    }

    public function testItIsNotShownAsFree(): void
    {
        [$status, $said] = self::redlock(['inspect', 'r', ...$this->there]);
        self::assertSame(69, $status);
        self::assertStringStartsWith("r: not known: a majority of the servers may hold it, and not all of them answer\n", $said);
        [$status, $said] = self::redlock(['inspect', '--json', 'r', ...$this->there]);
        $seen = json_decode($said, false, 16, JSON_THROW_ON_ERROR);
        self::assertSame([69, true, false, null], [$status, $seen->reachable, $seen->decided, $seen->token]);
        [$status, $said] = self::redlock(['inspect', '--json', 'free', ...$this->there]);
        self::assertSame([0, true], [$status, json_decode($said)->decided]);
        [$status, $said] = self::redlock(['top', '--once', 'r', ...$this->there]);
        self::assertSame(69, $status);
        self::assertMatchesRegularExpression('~^r +\(not known\) +- ~m', $said);
    }

    public function testACommandThatIsNotRunIsNotSkippedAsIfSomebodyHeldIt(): void
    {
        foreach ([[], ['-E', '0'], ['-q', '-w', '150ms']] as $options) {
            [$status, $said, $errors] = self::redlock(['run', 'r', ...$this->there, ...$options, '--', 'echo', 'inside']);
            self::assertSame([69, ''], [$status, $said]);
            self::assertMatchesRegularExpression("~^redlock: it is not known whether another client holds 'r': \\w+: 127\\.0\\.0\\.1:\\d+: \\N+\n$~D", $errors);
        }
    }

    public function testItIsTakenAwayByForce(): void
    {
        self::assertSame([0, '', ''], self::redlock(['release', '--force', 'r', ...$this->there]));
        self::assertSame([null, null], $this->servers->values('r', 2));
        [$status, $said] = self::redlock(['inspect', 'r', ...$this->there]);
        self::assertSame(0, $status);
        self::assertStringStartsWith('r: free, ', $said);
    }

    public function testWhereNoMajorityConfirmsThatItIsToldWhatToDo(): void
    {
        $this->servers->servers[0]->client()->call('ACL', 'SETUSER', 'default', '-del');
        [$status, , $errors] = self::redlock(['release', '--force', 'r', ...$this->there]);
        self::assertSame(69, $status);
        self::assertMatchesRegularExpression('~^redlock: unreachable: .*; \'r\' may still be held: try again when more servers answer$~', trim($errors));
    }

    /**
     * @dataProvider noLocks
     * @param list<string> $command what puts it there
     */
    public function testWhatIsNoLockIsCalledSo(int $servers, int $of, array $command, string $seen): void
    {
        self::$fleet->each(static fn ($client) => $client->call($command[0], 'key', ...array_slice($command, 1)), $servers);
        $there = ['--servers', self::servers($of), ...self::PATIENT];
        $complaint = [69, '', "redlock: the key 'key' holds something that is no lock\n"];
        self::assertSame($complaint, self::redlock(['release', '--force', 'key', ...$there]));
        self::assertSame($complaint, self::redlock(['run', 'key', '-E', '0', ...$there, '--', 'true']));
        [$status, $said] = self::redlock(['inspect', 'key', ...$there]);
        self::assertSame(69, $status);
        self::assertMatchesRegularExpression("~^key: $seen\n~", $said);
        [$status, $said] = self::redlock(['top', '--once', 'key', ...$there]);
        self::assertSame(69, $status);
        self::assertMatchesRegularExpression('~^key +(\(no lock\) +-|data +for ever) ~m', $said);
    }

    /** @return iterable<string, array{int, int, list<string>, string}> on how many servers of how many it stands */
    public static function noLocks(): iterable
    {
        $something = 'something that is no lock';
        yield 'a list' => [3, 3, ['RPUSH', 'data'], $something];
        yield 'a list on a majority' => [2, 3, ['RPUSH', 'data'], $something];
        yield 'a list on one of two' => [1, 2, ['RPUSH', 'data'], $something];
        yield 'a list on half of four' => [2, 4, ['RPUSH', 'data'], $something];
        yield 'without an expiry' => [3, 3, ['SET', 'data'], 'held by token data for ever, so it is no lock, 0 waiting'];
        yield 'without an expiry on one of two' => [1, 2, ['SET', 'data'], $something];
    }

    public function testAListOnOneOfThreeServersIsNotInTheWay(): void
    {
        self::$fleet->each(static fn ($client) => $client->call('RPUSH', 'key', 'data'), 1);
        [$status, $said] = self::redlock(['inspect', 'key', ...self::PATIENT]);
        self::assertSame(0, $status);
        self::assertStringStartsWith('key: free, ', $said);
        self::assertSame(0, self::redlock(['run', 'key', ...self::PATIENT, '--', 'true'])[0]);
    }
}
