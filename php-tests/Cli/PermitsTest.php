<?php

/** redlock run --permits: so many commands run at a time, and no more. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\ChildProcess;
use RedLock\Tests\Support\CliTestCase;

final class PermitsTest extends CliTestCase
{
    private const INSIDE = ['--', 'sh', '-c', 'echo "$REDLOCK_RESOURCE $REDLOCK_SLOT"'];

    private function begun(): ChildProcess
    {
        return $this->start(['run', 'r', ...self::PATIENT, '--permits', '2', '--', 'sh', '-c', 'echo "$REDLOCK_SLOT"; read line; exit 0']);
    }

    public function testSoManyCommandsRunAndEachKnowsItsSlot(): void
    {
        $holders = [$this->begun(), $this->begun()];
        $slots = array_map(static fn (ChildProcess $holder): string => $holder->readLine(), $holders);
        sort($slots);
        self::assertSame(['0', '1'], $slots);
        $third = ['run', 'r', ...self::PATIENT, '-p', '2'];
        self::assertSame([1, '', "redlock: other clients hold every permit of 'r'\n"], self::redlock([...$third, ...self::INSIDE]));
        self::assertSame([7, '', ''], self::redlock([...$third, '-q', '-E', '7', ...self::INSIDE]));
        self::assertSame(0, self::redlock(['run', 'r', ...self::PATIENT, ...self::INSIDE])[0], 'the lock itself is another');
        foreach ($holders as $holder) {
            $holder->writeLine('');
            self::assertSame(0, $holder->wait());
        }
        array_map(self::assertReleased(...), ['r:redlock:slot:0', 'r:redlock:slot:1']);
    }

    public function testWhoWaitsGetsTheFirstThatIsGivenBack(): void
    {
        $holders = [$this->begun(), $this->begun()];
        $slots = array_map(static fn (ChildProcess $holder): string => $holder->readLine(), $holders);
        $waiter = $this->start(['run', 'r', ...self::PATIENT, '-p', '2', '--wait', '20s', ...self::INSIDE]);
        $holders[1]->writeLine('');
        self::assertSame("r:redlock:slot:$slots[1] $slots[1]", $waiter->readLine());
        self::assertSame(0, $waiter->wait());
        $holders[0]->writeLine('');
        $holders[0]->wait();
    }

    public function testASlotThatWasInheritedIsNotPassedOn(): void
    {
        $run = ['run', 'r', ...self::PATIENT, '--', 'sh', '-c', 'echo "slot ${REDLOCK_SLOT-none}"'];
        self::assertSame([0, "slot none\n", ''], self::redlock($run, ['REDLOCK_SLOT' => '3']));
    }
}
