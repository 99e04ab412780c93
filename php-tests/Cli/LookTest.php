<?php

/** redlock inspect, release and top --once: who holds a lock, and taking it away. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\Wait;
use RedLock\Tests\Support\CliTestCase;

final class LookTest extends CliTestCase
{
    public function testAFreeLockIsShownAsOneByEveryServer(): void
    {
        [$status, $said, $errors] = self::redlock(['inspect', 'r', ...self::PATIENT]);
        self::assertSame([0, ''], [$status, $errors]);
        $lines = explode("\n", trim($said));
        self::assertSame('r: free, 0 waiting', $lines[0]);
        self::assertCount(4, $lines);
        self::assertMatchesRegularExpression('~^  127\.0\.0\.1:\d+ +free, 0 waiting$~', $lines[3]);
    }

    public function testAHeldLockIsShownWithItsOwnerForPeopleAndForPrograms(): void
    {
        $run = $this->startScript('echo "$REDLOCK_TOKEN"; read line', ['--owner', "night\e[2J job", '--ttl', '60s']);
        $token = $run->readLine();
        Wait::until(static fn (): bool => self::$fleet->values('r', 3) === [$token, $token, $token], 'all votes');
        [, $said] = self::redlock(['inspect', 'r', ...self::PATIENT]);
        $shown = preg_quote(str_replace("\e", '\x1b', $token), '~');
        self::assertMatchesRegularExpression("~^r: held by night\\\\x1b\\[2J job \\(token $shown\\) for 59\\.\\d s, 0 waiting\n~", $said);
        [, $said] = self::redlock(['inspect', '--json', 'r', ...self::PATIENT]);
        $seen = json_decode($said, false, 16, JSON_THROW_ON_ERROR);
        self::assertTrue($seen->reachable);
        self::assertSame(['r', $token, "night\e[2J job", 0], [$seen->resource, $seen->token, $seen->owner, $seen->waiting]);
        self::assertGreaterThan(50_000, $seen->ttl_ms);
        self::assertSame([$token, null], [$seen->servers[2]->token, $seen->servers[2]->error]);
        $run->writeLine('');
        self::assertSame(0, $run->wait());
    }

    public function testWhoWaitsIsNamed(): void
    {
        self::steal();
        $waits = [$this->startScript('', ['--wait', '60s', '--owner', 'the next'])];
        $seen = static fn (): object => json_decode(self::redlock(['inspect', '--json', 'r', ...self::PATIENT])[1]);
        Wait::until(static fn (): bool => count($seen()->line) === 1, 'the first to stand in line');
        $waits[] = $this->startScript('', ['--wait', '60s', '--owner', 'and another']);
        Wait::until(static fn (): bool => count($seen()->line) === 2, 'the second to stand in line');
        [$first, $second] = $seen()->line;
        self::assertSame(['the next', 'and another'], [$first->owner, $second->owner]);
        self::assertGreaterThanOrEqual($second->waited_ms, $first->waited_ms);
        [, $said] = self::redlock(['inspect', 'r', ...self::PATIENT]);
        self::assertMatchesRegularExpression('~^  waits for \d\S* \S+ +the next\n  waits for \d\S* \S+ +and another\n  127~m', $said);
        [, $said] = self::redlock(['top', '--once', 'r', ...self::PATIENT]);
        self::assertMatchesRegularExpression('~^r +a thief .* 2 +- +the next for \d\S* \S+$~m', $said);
        foreach ($waits as $wait) {
            $wait->signal(SIGTERM);
            self::assertSame(128 + SIGTERM, $wait->wait());
        }
    }

    public function testNamesOfAnyBytesAreGoodJson(): void
    {
        $name = "\"\\\xff\x01\u{e9}\u{1f600}";
        [, $said] = self::redlock(['inspect', '--json', $name, ...self::PATIENT]);
        self::assertSame("\"\\\u{ff}\x01\u{e9}\u{1f600}", json_decode($said, false, 16, JSON_THROW_ON_ERROR)->resource);
    }

    public function testWithoutAMajorityNothingIsKnownAndEveryServerSaysWhy(): void
    {
        $down = ['--servers', '127.0.0.1:1,127.0.0.1:2,' . self::$fleet->servers[0]->name()];
        [$status, $said] = self::redlock(['inspect', 'r', ...$down]);
        self::assertSame(69, $status);
        self::assertStringStartsWith("r: not known: no majority of the servers can be asked\n", $said);
        self::assertMatchesRegularExpression('~^  127\.0\.0\.1:1 +Connection refused$~m', $said);
        [$status, $said] = self::redlock(['inspect', 'r', '--json', ...$down]);
        self::assertSame([69, false], [$status, json_decode($said)->reachable]);
        [$status, , $errors] = self::redlock(['release', '--force', 'r', ...$down]);
        self::assertSame(69, $status);
        self::assertStringContainsString('unreachable: 127.0.0.1:1: ', $errors);
        [$status, $said] = self::redlock(['top', '--once', 'r', ...$down]);
        self::assertSame(69, $status);
        self::assertStringContainsString('(no majority answers)', $said);
    }

    public function testALockIsTakenAwayOnlyByForce(): void
    {
        self::steal();
        [$status, , $errors] = self::redlock(['release', 'r', ...self::PATIENT]);
        self::assertSame(64, $status);
        self::assertStringContainsString('say --force', $errors);
        self::assertSame('a thief', self::holder());
        self::assertSame([0, '', ''], self::redlock(['release', '--force', 'r', ...self::PATIENT]));
        self::assertReleased();
        self::assertSame([1, '', "redlock: no client holds 'r'\n"], self::redlock(['release', '--force', 'r', ...self::PATIENT]));
    }

    public function testOneLookAtManyLocksNeedsNoTerminal(): void
    {
        self::steal('b');
        [$status, $said] = self::redlock(['top', '--once', 'a', 'b', ...self::PATIENT]);
        self::assertSame(0, $status);
        $lines = explode("\n", trim($said));
        self::assertMatchesRegularExpression('~^RESOURCE +HOLDER +LEFT +WAITING +CHANGES/S +NEXT$~', $lines[0]);
        self::assertMatchesRegularExpression('~^a +\(free\) +- +0 ~', $lines[1]);
        self::assertMatchesRegularExpression('~^b +a thief +\d\S* \w+.* +0 ~', $lines[2]);
    }
}
