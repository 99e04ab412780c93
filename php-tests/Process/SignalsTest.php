<?php

/** A waiting call lets PHP live: signal handlers, exceptions thrown in them, and the time limit. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Fleet;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\ServerTestCase;

final class SignalsTest extends ServerTestCase
{
    private const HANDLER_THAT_REPORTS = '
        pcntl_async_signals(true);
        pcntl_signal(SIGUSR1, fn () => report(["signal", hrtime(true) / 1e9]));
        pcntl_signal(SIGUSR2, function () { throw new DomainException("enough"); });
        report("ready");
    ';

    /** Calls that would wait for minutes: for servers that are stopped, or in the pause between attempts. */
    public static function longCalls(): iterable
    {
        yield 'RedLock::lock waiting for answers' => ['stopped', '(new RedLock($args["servers"]))->lock("r", 60000);'];
        yield 'RedLock::lock waiting for the next attempt' => [
            'occupied',
            '(new RedLock($args["servers"], 60000, 100))->lock("r", 60000);',
        ];
        yield 'RedLock::unlock' => [
            'stopped',
            '(new RedLock($args["servers"]))->unlock(["resource" => "r", "token" => "t"]);',
        ];
        yield 'RedLock::extend' => [
            'stopped',
            '(new RedLock($args["servers"]))->extend(["resource" => "r", "token" => "t"], 1000);',
        ];
        yield 'RedLock::isHeld' => [
            'stopped',
            '(new RedLock($args["servers"]))->isHeld(["resource" => "r", "token" => "t"]);',
        ];
        yield 'PidLock::getPidLock waiting for an answer' => [
            'stopped',
            '(new PidLock(["host" => "127.0.0.1", "port" => $args["servers"][0][1], "timeout" => 60]))'
                . '->getPidLock("r", 60);',
        ];
        yield 'PidLock::getPidLock waiting for the next attempt' => [
            'occupied',
            '(new PidLock("127.0.0.1:" . $args["servers"][0][1]))->getPidLock("r", 60, 60, 100);',
        ];
    }

    private function fleetThatIs(string $state): Fleet
    {
        $fleet = $this->fleet(3);
        if ($state === 'stopped') {
            // The third answers, so that a lost attempt has something to undo.
            $fleet->servers[0]->stop();
            $fleet->servers[1]->stop();
        } else {
            $fleet->each(static fn ($c) => $c->call('SET', 'r', 'theirs'));
            $fleet->each(static fn ($c) => $c->call('SET', 'lock_pid:r', '99999999999999'));
        }
        return $fleet;
    }

    /** Starts the call and returns when it has been waiting for a little. */
    private function waitingCall(Fleet $fleet, string $code): ChildProcess
    {
        $args = ['servers' => $fleet->specs(null, 60.0)];
        $process = $this->php($code, $args);
        self::assertSame('ready', PhpProcess::report($process));
        $isWaiting = static fn (): bool => trim((string) @file_get_contents("/proc/$process->pid/wchan")) !== '0'
            && str_contains((string) file_get_contents("/proc/$process->pid/stat"), ') S');
        Wait::until($isWaiting, 'the call to wait');
        usleep(50_000);
        return $process;
    }

    /** @dataProvider longCalls */
    public function testAHandlerRunsWhileTheCallWaits(string $state, string $call): void
    {
        $process = $this->waitingCall($this->fleetThatIs($state), self::HANDLER_THAT_REPORTS . $call);
        for ($i = 0; $i < 3; ++$i) {
            $sent = Wait::now();
            $process->signal(SIGUSR1);
            [$what, $handled] = PhpProcess::report($process);
            self::assertSame('signal', $what);
            self::assertLessThan(0.5, $handled - $sent, 'ten times the deadline of 50 ms');
        }
        self::assertTrue($process->isRunning(), 'the call goes on waiting');
    }

    /** @dataProvider longCalls */
    public function testAnExceptionOfAHandlerLeavesTheCall(string $state, string $call): void
    {
        $code = self::HANDLER_THAT_REPORTS . "try { $call } catch (DomainException \$e) {
            report([\$e->getMessage(), hrtime(true) / 1e9]);
        }";
        $process = $this->waitingCall($this->fleetThatIs($state), $code);
        $sent = Wait::now();
        $process->signal(SIGUSR2);
        [$message, $left] = PhpProcess::report($process);
        self::assertSame('enough', $message);
        self::assertLessThan(0.5, $left - $sent);
        self::assertSame(0, $process->wait());
    }

    /** @dataProvider endings */
    public function testALockThatIsLeftLeavesNoKeysBehind(string $ending): void
    {
        $fleet = $this->fleetThatIs('stopped');
        $code = self::HANDLER_THAT_REPORTS . '
            pcntl_signal(SIGTERM, function () { exit(3); });
            try {
                (new RedLock($args["servers"]))->lock("r", 60000);
            } catch (DomainException) {
                report("left");
            }
        ' . ($ending === 'the process goes on' ? 'while (true) { sleep(1); }' : '');
        $process = $this->waitingCall($fleet, $code);
        $healthy = $fleet->servers[2]->client();
        self::assertSame(1, $healthy->call('DBSIZE'), 'the attempt has its key on the server that answers');
        $process->signal($ending === 'exit() in the handler' ? SIGTERM : SIGUSR2);
        Wait::until(static fn (): bool => $healthy->call('DBSIZE') === 0, 'the undo on the server that answers');
        if ($ending === 'the process goes on') {
            self::assertSame('left', PhpProcess::report($process));
        } else {
            $process->wait();
        }
        $fleet->servers[0]->cont();
        $fleet->servers[1]->cont();
        $fleet->each(static fn ($c) => $c->call('PING'));
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the ghosts to vanish');
        self::assertSame(0, $fleet->keyCount());
    }

    /** @return iterable<string, array{string}> */
    public static function endings(): iterable
    {
        yield 'the process goes on' => ['the process goes on'];
        yield 'the process ends' => ['the process ends'];
        yield 'exit() in the handler' => ['exit() in the handler'];
    }

    public function testAHandlerMayTakeALockOfItsOwn(): void
    {
        $fleet = $this->fleetThatIs('occupied');
        $code = '
            pcntl_async_signals(true);
            $r = new RedLock($args["servers"], 60000, 100);
            pcntl_signal(SIGUSR1, function () use ($r) {
                $lock = $r->lock("other", 5000);
                report([is_array($lock), $r->isHeld($lock), $r->unlock($lock)]);
            });
            report("ready");
            $r->lock("r", 60000);
        ';
        $process = $this->waitingCall($fleet, $code);
        for ($i = 0; $i < 3; ++$i) {
            $process->signal(SIGUSR1);
            self::assertSame([true, true, true], PhpProcess::report($process));
        }
        self::assertTrue($process->isRunning());
    }

    public function testASignalDoesNotCutThePauseShort(): void
    {
        $fleet = $this->fleetThatIs('occupied');
        $code = self::HANDLER_THAT_REPORTS . '
            $start = hrtime(true);
            (new RedLock($args["servers"], 1200, 2))->lock("r", 60000);
            report(["paused", (hrtime(true) - $start) / 1e9]);
        ';
        $process = $this->waitingCall($fleet, $code);
        $process->signal(SIGUSR1);
        self::assertSame('signal', PhpProcess::report($process)[0]);
        [$what, $seconds] = PhpProcess::report($process);
        self::assertSame('paused', $what);
        self::assertGreaterThanOrEqual(0.6, $seconds);
    }

    public function testAnIgnoredSignalDoesNotEndTheCall(): void
    {
        $fleet = $this->fleetThatIs('stopped');
        $call = '(new RedLock($args["servers"]))->lock("r", 60000);';
        $code = "report('ready'); try { $call } finally { report('left'); }";
        $process = $this->waitingCall($fleet, $code);
        $process->signal(SIGWINCH);
        $process->signal(SIGSTOP);
        $process->signal(SIGCONT);
        usleep(200_000);
        self::assertTrue($process->isRunning());
        self::assertNull($process->pollLine());
    }

    public function testMaxExecutionTimeEndsACallThatWaits(): void
    {
        $fleet = $this->fleetThatIs('stopped');
        $code = 'report("ready"); set_time_limit(1); (new RedLock($args["servers"]))->lock("r", 60000);';
        $process = $this->php($code, ['servers' => $fleet->specs(null, 60.0)]);
        self::assertSame('ready', PhpProcess::report($process));
        self::assertStringContainsString('Maximum execution time', $this->lastWords($process));
        $healthy = $fleet->servers[2]->client();
        Wait::until(static fn (): bool => $healthy->call('DBSIZE') === 0, 'the undo on the server that answers');
        self::assertSame(0, $healthy->call('DBSIZE'));
    }

    public function testMaxExecutionTimeEndsACallThatIsBusy(): void
    {
        $fleet = $this->fleetThatIs('occupied');
        $code = '
            report("ready");
            set_time_limit(1);
            (new RedLock($args["servers"], 0, PHP_INT_MAX))->lock("r", 60000);
        ';
        $process = $this->php($code, ['servers' => $fleet->specs()]);
        self::assertSame('ready', PhpProcess::report($process));
        self::assertStringContainsString('Maximum execution time', $this->lastWords($process));
    }

    /** What the process said until it ended with PHP's exit code for fatal errors. */
    private function lastWords(ChildProcess $process): string
    {
        self::assertSame(255, $process->wait(30.0));
        $words = '';
        while (($line = $process->pollLine()) !== null) {
            $words .= "$line\n";
        }
        return $words;
    }
}
