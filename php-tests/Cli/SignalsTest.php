<?php

/** redlock run: signals that it gets, and the end of a command whose lock is lost. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\TempFolder;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\CliTestCase;

final class SignalsTest extends CliTestCase
{
    private const SHORT = ['--ttl', '500ms'];

    public static function signals(): iterable
    {
        yield 'SIGTERM' => [SIGTERM, 'TERM'];
        yield 'SIGINT' => [SIGINT, 'INT'];
        yield 'SIGHUP' => [SIGHUP, 'HUP'];
        yield 'SIGUSR1' => [SIGUSR1, 'USR1'];
    }

    /** @dataProvider signals */
    public function testASignalIsPassedOnAndTheLockReleasedBehindTheCommandsEnd(int $signal, string $name): void
    {
        $script = "trap 'echo caught; read line; exit 7' $name; echo ready; while :; do sleep 0.02; done";
        $run = $this->startScript($script);
        self::assertSame('ready', $run->readLine());
        $run->signal($signal);
        self::assertSays('caught', $run);
        self::assertNotNull(self::holder());
        $run->writeLine('');
        self::assertSame(7, $run->wait());
        self::assertReleased();
    }

    public function testWhoWaitsEndsByItsSignalAndLeavesTheLine(): void
    {
        self::steal();
        $run = $this->startScript('echo inside', ['--wait', 'forever']);
        $waiting = static fn (): int => json_decode(self::redlock(['inspect', 'r', ...self::PATIENT, '--json'])[1])->waiting;
        Wait::until(static fn (): bool => $waiting() === 1, 'it to stand in line');
        $run->signal(SIGTERM);
        self::assertSame(128 + SIGTERM, $run->wait());
        Wait::until(static fn (): bool => $waiting() === 0, 'it to have left the line');
        self::assertSame('a thief', self::holder());
    }

    public function testALostLockEndsTheCommandBySigterm(): void
    {
        $run = $this->startScript("trap 'echo ended; exit 0' TERM; echo ready; while :; do sleep 0.02; done", self::SHORT);
        self::assertSame('ready', $run->readLine());
        self::steal();
        // The command is told first, and may be the first to say so.
        $expected = ['ended', "redlock: the lock on 'r' is lost; ending the command"];
        for ($said = []; array_diff($expected, $said) !== [];) {
            $said[] = $run->readLine();
        }
        self::assertSame(75, $run->wait());
        self::assertSame('a thief', self::holder());
    }

    public function testALostLockEndsTheCommandThoughNobodyReadsWhatRedlockSays(): void
    {
        $marker = TempFolder::make() . '/marker';
        $work = "exec 2>/dev/null; trap 'echo ended >$marker; exit 0' TERM; echo ready >$marker; while :; do sleep 0.02; done";
        // A pipe that is full, and that nobody reads.
        $full = 'exec 2> >(exec sleep 20); head -c 65536 /dev/zero >&2; exec "$0" "$@"';
        $run = $this->watch(new ChildProcess([
            'env', 'REDLOCK_SERVERS=' . self::servers(), 'bash', '-c', $full, self::program(),
            'run', 'r', ...self::PATIENT, ...self::SHORT, '--', 'sh', '-c', $work,
        ]));
        $says = static fn (string $word): bool => Wait::until(
            static fn (): bool => @file_get_contents($marker) === "$word\n",
            "the command to be $word",
        );
        self::assertTrue($says('ready'));
        self::steal();
        self::assertTrue($says('ended'));
        self::assertSame(75, $run->wait());
    }

    public function testALockThatWasDeletedIsNotLostWhileItCanBePlantedAgainButByOthersIs(): void
    {
        $run = $this->startScript('echo ready; exec sleep 60', self::SHORT);
        self::assertSame('ready', $run->readLine());
        self::redlock(['release', '--force', 'r', ...self::PATIENT]);
        self::assertStringContainsString('is lost', $run->readLine());
        self::assertSame(75, $run->wait());
    }

    public function testACommandThatHeedsNoSigtermIsKilledWhenTheGraceIsOver(): void
    {
        $run = $this->startScript("trap '' TERM; echo ready; while :; do sleep 0.02; done", [...self::SHORT, '--grace', '200ms']);
        self::assertSame('ready', $run->readLine());
        self::steal();
        self::assertSame(75, $run->wait());
    }

    public function testAllOfTheCommandsProcessGroupIsEnded(): void
    {
        $script = "(trap '' TERM; while :; do sleep 0.02; done) & echo \$!; sleep 60 & echo \$!; wait";
        $run = $this->startScript($script, [...self::SHORT, '--grace', '300ms']);
        $pids = [(int) $run->readLine(), (int) $run->readLine()];
        self::steal();
        self::assertSame(75, $run->wait());
        foreach ($pids as $pid) {
            self::assertTrue(Wait::until(static fn (): bool => !self::lives($pid), "the end of process $pid"));
        }
    }

    public function testWhatIsLeftOfTheGroupHasTheGraceTooAndIsWaitedFor(): void
    {
        $script = "(trap 'sleep 0.3; echo tidied; exit 0' TERM; echo ready; while :; do sleep 0.02; done) & echo \$!; wait";
        $run = $this->startScript($script, self::SHORT);
        $lines = [$run->readLine(), $run->readLine()];
        self::assertContains('ready', $lines);
        $pid = (int) max(array_map(intval(...), $lines));
        self::steal();
        self::assertSame(75, $run->wait());
        self::assertFalse(self::lives($pid));
        self::assertSays('tidied', $run);
    }

    public function testAStoppedCommandIsEndedAllTheSame(): void
    {
        $run = $this->startScript('echo ready; kill -STOP $$; echo woken; exec sleep 60', self::SHORT);
        self::assertSame('ready', $run->readLine());
        self::steal();
        self::assertSame(75, $run->wait());
    }

    public function testWhoIsStoppedStopsItsCommandAndWhoLostTheLockMeanwhileEndsIt(): void
    {
        $run = $this->startScript('echo ready; exec sleep 60', self::SHORT);
        self::assertSame('ready', $run->readLine());
        $command = (int) file_get_contents("/proc/$run->pid/task/$run->pid/children");
        $run->signal(SIGTSTP);
        foreach ([$run->pid, $command] as $pid) {
            Wait::until(static fn (): bool => preg_match('~^State:\s+T~m', (string) file_get_contents("/proc/$pid/status")) === 1, "$pid to stop");
        }
        Wait::until(static fn (): bool => self::holder() === null, 'the lock to be over');
        $run->signal(SIGCONT);
        self::assertStringContainsString('is lost', $run->readLine());
        self::assertSame(75, $run->wait());
    }

    public function testAnIgnoredSighupStaysIgnored(): void
    {
        $run = $this->watch(new ChildProcess([
            'sh', '-c', 'trap "" HUP; exec "$0" "$@"', self::program(), 'run', 'r', ...self::PATIENT,
            '--servers', self::servers(), '--', 'sh', '-c', 'echo ready; read line',
        ]));
        self::assertSame('ready', $run->readLine());
        $run->signal(SIGHUP);
        $run->writeLine('');
        self::assertSame(0, $run->wait());
    }

    /** Sooner or later; a shell may tell before that its command was terminated. */
    private static function assertSays(string $expected, ChildProcess $run): void
    {
        do {
            $line = $run->readLine();
        } while ($line !== $expected);
        self::assertSame($expected, $line);
    }
}
