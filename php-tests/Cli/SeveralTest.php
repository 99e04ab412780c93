<?php

/** redlock run with several resources: all of them are held while the command runs, or none. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\Wait;
use RedLock\Tests\Support\CliTestCase;

final class SeveralTest extends CliTestCase
{
    private const INSIDE = ['--', 'echo', 'inside'];

    public function testAreHeldWithOneTokenAndTheCommandKnowsTheirNames(): void
    {
        $script = 'echo "$REDLOCK_RESOURCE"; echo "$REDLOCK_TOKEN"; read line; exit 3';
        $run = $this->start(['run', 'b', 'a', ...self::PATIENT, 'c d', '--', 'sh', '-c', $script]);
        self::assertSame(['b', 'a', 'c d'], [$run->readLine(), $run->readLine(), $run->readLine()]);
        $token = $run->readLine();
        self::assertNotSame('', $token);
        self::assertSame([$token, $token, $token], array_map(self::holder(...), ['a', 'b', 'c d']));
        $run->writeLine('go on');
        self::assertSame(3, $run->wait());
        array_map(self::assertReleased(...), ['a', 'b', 'c d']);
    }

    public function testWhereSomeAreBusyTheseAreNamedAndNothingIsRunOrHeld(): void
    {
        self::steal('b');
        $run = ['run', 'a', 'b', 'c', ...self::PATIENT];
        self::assertSame([1, '', "redlock: another client holds 'b'\n"], self::redlock([...$run, ...self::INSIDE]));
        self::steal('c');
        self::assertSame([0, '', "redlock: another client holds 'b' and 'c'\n"], self::redlock([...$run, '-E', '0', '-w', '150ms', ...self::INSIDE]));
        self::assertReleased('a');
        self::assertSame(['a thief', 'a thief'], [self::holder('b'), self::holder('c')]);
    }

    public function testWhoWaitsHoldsNoneMeanwhileAndRunsWhenAllAreFree(): void
    {
        $first = $this->startScript('echo inside; read line');
        $first->readLine();
        $second = $this->start(['run', 'a', 'r', ...self::PATIENT, '--wait', 'forever', ...self::INSIDE]);
        $waiting = static fn (): bool => json_decode(self::redlock(['inspect', 'r', ...self::PATIENT, '--json'])[1])->waiting === 1;
        Wait::until($waiting, 'the second to stand in line');
        self::assertSame([0, "inside\n", ''], self::redlock(['run', 'a', ...self::PATIENT, ...self::INSIDE]));
        $first->writeLine('');
        self::assertSame('inside', $second->readLine());
        self::assertSame(0, $second->wait());
        array_map(self::assertReleased(...), ['a', 'r']);
    }

    public function testWhereOneIsTakenAwayTheCommandIsEnded(): void
    {
        $run = $this->start(['run', 'a', 'b', ...self::PATIENT, '--ttl', '900ms', '--', 'sh', '-c', 'echo ready; exec sleep 60']);
        self::assertSame('ready', $run->readLine());
        self::steal('b');
        self::assertSame("redlock: the lock on 'a' and 'b' is lost; ending the command", $run->readLine());
        self::assertSame(75, $run->wait());
        self::assertReleased('a');
        self::assertSame('a thief', self::holder('b'));
    }

    public function testWhereOneIsNoLockItIsNamed(): void
    {
        self::$fleet->each(static fn ($client) => $client->call('SET', 'b', 'a setting'), 3);
        $run = ['run', 'a', 'b', ...self::PATIENT, '-E', '0'];
        self::assertSame([69, '', "redlock: the key 'b' holds something that is no lock\n"], self::redlock([...$run, ...self::INSIDE]));
        self::assertReleased('a');
    }

    public function testSixteenAreTakenTogether(): void
    {
        $names = array_map(static fn (int $number): string => "r$number", range(1, 16));
        self::assertSame([0, "inside\n", ''], self::redlock(['run', ...$names, ...self::PATIENT, ...self::INSIDE]));
    }
}
