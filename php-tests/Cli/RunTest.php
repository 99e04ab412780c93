<?php

/** redlock run: a command that holds a lock while it runs, and what becomes of its exit status. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\TempFolder;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\CliTestCase;

final class RunTest extends CliTestCase
{
    public function testACommandHoldsTheLockWhileItRunsAndKnowsItsToken(): void
    {
        $run = $this->startScript('echo "$REDLOCK_RESOURCE $REDLOCK_TOKEN"; read line; exit 3');
        [$resource, $token] = explode(' ', $run->readLine());
        self::assertSame('r', $resource);
        self::assertSame($token, Wait::until(self::holder(...), 'the lock to be taken'));
        self::assertMatchesRegularExpression('~^.+/\d+:[0-9a-f]+$~', $token);
        $run->writeLine('go on');
        self::assertSame(3, $run->wait());
        self::assertReleased();
    }

    public function testWithFenceTheCommandKnowsANumberThatIsLargerEachTime(): void
    {
        $before = 0;
        for ($i = 0; $i < 3; ++$i) {
            [$status, $said, $errors] = self::redlock(['run', 'r', ...self::PATIENT, '--fence', '--', 'sh', '-c', 'echo "$REDLOCK_FENCE"']);
            self::assertSame([0, ''], [$status, $errors]);
            self::assertMatchesRegularExpression('~^[1-9]\d*\n$~D', $said);
            self::assertGreaterThan($before, (int) $said);
            $before = (int) $said;
        }
    }

    public function testACommandThatWaitedInLineKnowsALargerFenceThanItsPredecessor(): void
    {
        $first = $this->startScript('echo "$REDLOCK_FENCE"; read line', ['--fence']);
        $fence = (int) $first->readLine();
        $second = $this->startScript('echo "$REDLOCK_FENCE"', ['--fence', '--wait', 'forever']);
        $waiting = static fn (): bool => json_decode(self::redlock(['inspect', 'r', ...self::PATIENT, '--json'])[1])->waiting === 1;
        Wait::until($waiting, 'the second to stand in line');
        $first->writeLine('');
        self::assertGreaterThan($fence, (int) $second->readLine());
        self::assertSame(0, $second->wait());
    }

    public function testWithoutFenceThereIsNoneNotEvenThatOfALockAroundIt(): void
    {
        $inner = [self::program(), 'run', 'inner', ...self::PATIENT, '--', 'sh', '-c', 'echo "[${REDLOCK_FENCE-none}] $REDLOCK_RESOURCE"'];
        [$status, $said, $errors] = self::redlock(['run', 'r', ...self::PATIENT, '--fence', '--', ...$inner]);
        self::assertSame([0, "[none] inner\n", ''], [$status, $said, $errors]);
    }

    public function testAFencesKeyThatHoldsSomethingElseIsToldAndNotTakenForAnotherClient(): void
    {
        foreach (['SET' => 'no number', 'RPUSH' => '1'] as $command => $value) {
            $server = $this->server();
            $server->client()->call($command, 'r:redlock:fence', $value);
            $run = ['run', 'r', ...self::PATIENT, '-s', $server->name(), '--fence', '--', 'true'];
            [$status, $said, $errors] = self::redlock($run);
            self::assertSame([69, ''], [$status, $said], $command);
            self::assertStringContainsString('the key of the fence holds something else', $errors);
        }
    }

    public function testALockThatServersDoNotTakeBackIsToldOnStandardError(): void
    {
        $users = ['user default on nopass ~* &* +@all', 'user locks on >password ~* &* +@all'];
        $server = $this->server([], $users);
        $forbid = '$s = fsockopen("127.0.0.1", $argv[1]); fwrite($s, "ACL SETUSER locks -@scripting\r\n"); fgets($s);';
        $run = ['run', 'r', ...self::PATIENT, '-s', "redis://locks:password@{$server->name()}"];
        [$status, , $errors] = self::redlock([...$run, '--', PHP_BINARY, '-n', '-r', $forbid, (string) $server->port]);
        self::assertSame(0, $status, $errors);
        self::assertStringContainsString("the lock on 'r' could not be released, and may stay until its ttl ends", $errors);
        self::assertStringContainsString('+eval +evalsha', $errors);
        [$status, , $errors] = self::redlock([...$run, '--', 'true']);
        self::assertSame(69, $status, 'a second lock was given');
        self::assertStringContainsString('+eval +evalsha', $errors);
    }

    public static function statuses(): iterable
    {
        yield 'success' => ['exit 0', 0];
        yield 'failure' => ['exit 1', 1];
        yield 'any status' => ['exit 42', 42];
        yield 'the last one' => ['exit 255', 255];
        yield 'killed' => ['kill -KILL $$', 128 + SIGKILL];
        yield 'terminated' => ['kill -TERM $$', 128 + SIGTERM];
    }

    /** @dataProvider statuses */
    public function testTheExitStatusIsThatOfTheCommandOrItsSignal(string $script, int $expected): void
    {
        [$status, , $errors] = self::redlock(['run', 'r', ...self::PATIENT, '--', 'sh', '-c', $script]);
        self::assertSame([$expected, ''], [$status, $errors]);
        self::assertReleased();
    }

    public function testACommandThatCannotBeExecutedIs126AndOneThatIsNotThere127(): void
    {
        $cases = [[__FILE__, 126], [__DIR__, 126], ['no-such-command', 127], ['/no/such/file', 127]];
        foreach ($cases as [$command, $expected]) {
            [$status, , $errors] = self::redlock(['run', 'r', ...self::PATIENT, '--', $command]);
            self::assertSame($expected, $status, $command);
            self::assertStringContainsString("$command cannot be executed: ", $errors);
        }
        self::assertReleased();
    }

    public function testAScriptThatNamesNoInterpreterIsRunByTheShell(): void
    {
        $script = TempFolder::make() . '/script';
        file_put_contents($script, "exit 5\n");
        chmod($script, 0700);
        self::assertSame(5, self::redlock(['run', 'r', ...self::PATIENT, '--', $script])[0]);
    }

    public function testArgumentsBehindTheDashesAreTheCommandsOwn(): void
    {
        [$status, $said] = self::redlock(['run', 'r', ...self::PATIENT, '--', 'printf', '[%s]', '--', '--ttl', 'run', '', '[a,b]']);
        self::assertSame([0, '[--][--ttl][run][][[a,b]]'], [$status, $said]);
    }

    public function testWhereSomebodyElseHoldsItNothingIsRun(): void
    {
        self::steal();
        foreach ([[[], 1], [['-E', '75'], 75], [['--conflict-exit-code=0', '--wait', '150ms'], 0]] as [$options, $expected]) {
            [$status, $said, $errors] = self::redlock(['run', 'r', ...self::PATIENT, ...$options, '--', 'echo', 'inside']);
            self::assertSame([$expected, '', "redlock: another client holds 'r'\n"], [$status, $said, $errors]);
        }
        self::assertSame([1, '', ''], self::redlock(['run', 'r', ...self::PATIENT, '-q', '--', 'echo', 'inside']));
        self::assertSame('a thief', self::holder());
    }

    public function testWhoWaitsRunsWhenTheHolderHasEnded(): void
    {
        $first = $this->startScript('echo inside; read line');
        $first->readLine();
        $second = $this->startScript('echo inside', ['--wait', 'forever']);
        $waiting = static fn (): bool => json_decode(self::redlock(['inspect', 'r', ...self::PATIENT, '--json'])[1])->waiting === 1;
        Wait::until($waiting, 'the second to stand in line');
        self::assertNull($second->pollLine());
        $first->writeLine('');
        self::assertSame(0, $first->wait());
        self::assertSame('inside', $second->readLine());
        self::assertSame(0, $second->wait());
        self::assertReleased();
    }

    public function testWithoutALineItWaitsToo(): void
    {
        $first = $this->startScript('echo inside; read line');
        $first->readLine();
        $second = $this->startScript('echo inside', ['--wait', '20s', '--no-line']);
        $first->writeLine('');
        self::assertSame('inside', $second->readLine());
        self::assertSame(0, $second->wait());
    }

    public function testWhereRedlockIsKilledTheCommandEndsAndTheNextRunsWhenTheTtlIsOver(): void
    {
        $first = $this->startScript('echo inside; exec sleep 60', ['--ttl', '1s']);
        $first->readLine();
        $command = self::childOf($first);
        self::assertTrue(self::lives($command));
        $second = $this->startScript('echo inside', ['--wait', '20s']);
        $first->kill();
        self::assertTrue(Wait::until(static fn (): bool => !self::lives($command), 'the end of the command'));
        self::assertSame('inside', $second->readLine());
        self::assertSame(0, $second->wait());
    }

    public function testALockIsKeptForManyTtls(): void
    {
        $run = $this->startScript('echo "$REDLOCK_TOKEN"; read line', ['--ttl', '500ms']);
        $token = $run->readLine();
        $deadline = Wait::now() + 2.0;
        do {
            self::assertSame($token, self::holder());
        } while (Wait::now() < $deadline);
        $run->writeLine('');
        self::assertSame(0, $run->wait());
        self::assertReleased();
    }

    public function testServersThatAreDownAreNamedAndSayNothingOfTheLock(): void
    {
        $down = ['--servers', '127.0.0.1:1,127.0.0.1:2,' . self::$fleet->servers[0]->name()];
        [$status, $said, $errors] = self::redlock(['run', 'r', ...$down, '--', 'echo', 'inside']);
        self::assertSame([69, ''], [$status, $said]);
        self::assertStringContainsString('unreachable: 127.0.0.1:1: ', $errors);
        self::assertSame([null, null, null], self::$fleet->values('r', 3));
    }

    public function testWhatIsNoLockIsNotTaken(): void
    {
        foreach ([['HSET', 'r', 'field', 'value'], ['SET', 'r', 'a setting']] as $words) {
            self::$fleet->each(static fn ($client) => $client->call('DEL', 'r'), 3);
            self::$fleet->each(static fn ($client) => $client->call(...$words), 3);
            [$status, , $errors] = self::redlock(['run', 'r', ...self::PATIENT, '-q', '--', 'echo', 'inside']);
            self::assertSame([69, "redlock: the key 'r' holds something that is no lock\n"], [$status, $errors]);
        }
    }

    public function testTheCommandInheritsNoConnectionAndNoBlockedSignal(): void
    {
        $script = 'ls -l /proc/self/fd; grep ^SigBlk /proc/self/status';
        [$status, $said] = self::redlock(['run', 'r', ...self::PATIENT, '--wait', '10s', '--', 'sh', '-c', $script]);
        self::assertSame(0, $status);
        // What it would inherit from this very process.
        $ours = (string) shell_exec($script);
        self::assertSame(substr_count($ours, 'socket:'), substr_count($said, 'socket:'), $said);
        self::assertStringNotContainsString('anon_inode:', $said);
        self::assertMatchesRegularExpression('~^SigBlk:\s+0+$~m', $said);
    }

    public function testItStartsItsCommandSoon(): void
    {
        $took = [];
        for ($i = 0; $i < 5; ++$i) {
            $began = microtime(true);
            [, $said] = self::redlock(['run', 'r', ...self::PATIENT, '--wait', '10s', '--', 'date', '+%s.%N']);
            $took[] = (float) $said - $began;
        }
        // It takes about 6 ms with everything that PHP and the system do, and is sanitized here.
        self::assertLessThan(0.5, min($took));
    }

    private static function childOf(ChildProcess $process): int
    {
        return (int) file_get_contents("/proc/$process->pid/task/$process->pid/children");
    }

    public function testAnOutageThatIsWaitedForIsToldOnce(): void
    {
        $server = $this->server();
        $server->kill9();
        $run = $this->watch(new ChildProcess(
            ['env', 'REDLOCK_SERVERS=' . $server->name(), self::program(), 'run', 'r', '--wait', 'forever', '--', 'echo', 'inside'],
        ));
        self::assertStringStartsWith('redlock: still waiting: ', $told = $run->readLine());
        self::assertStringContainsString($server->name(), $told);
        $polled = Wait::now() + 1.5;
        Wait::until(static fn (): bool => Wait::now() > $polled, 'some more polls');
        self::assertNull($run->pollLine(), 'it is told once');
        $server->restart();
        self::assertSame('inside', $run->readLine());
        self::assertSame(0, $run->wait());
    }

    public function testAWrongPasswordEndsAWaitWithoutEnd(): void
    {
        $server = $this->server(['requirepass' => 'right']);
        [$status, , $errors] = self::redlock(
            ['run', 'r', '--wait', 'forever', ...self::PATIENT, '--', 'true'],
            ['REDLOCK_SERVERS' => 'redis://:wrong@' . $server->name()],
        );
        self::assertSame(69, $status, $errors);
        self::assertStringContainsString('AUTH was refused', $errors);
    }
}
