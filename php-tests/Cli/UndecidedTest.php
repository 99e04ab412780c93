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
        self::assertMatchesRegularExpression('~^redlock: unreachable: .*; \'r\' may be held still: try again when more of the servers answer$~', trim($errors));
    }

    public function testWhatIsNoLockIsCalledSo(): void
    {
        self::$fleet->each(static fn ($client) => $client->call('SET', 'endless', 'data'), 3);
        self::$fleet->each(static fn ($client) => $client->call('RPUSH', 'list', 'data'), 3);
        foreach (['endless', 'list'] as $key) {
            [$status, , $errors] = self::redlock(['release', '--force', $key, ...self::PATIENT]);
            self::assertSame([69, "redlock: the key '$key' holds something that is no lock\n"], [$status, $errors]);
        }
        self::assertSame(['data', 'data', 'data'], self::$fleet->values('endless', 3));
    }
}
