<?php

/** Signal handlers, and overridden methods, that use the same lock in the middle of a call on it. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\FreePort;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\ServerTestCase;

final class ReentryTest extends ServerTestCase
{
    /**
     * Lets a handler run while a call waits for the stopped server, which goes on when the handler has begun. What the
     * handler asks for is done right behind what the call asked for.
     */
    private function interrupt(RedisServer $server, string $before, string $during, string $after): mixed
    {
        $prelude = '
            pcntl_async_signals(true);
            $lock = new PidLock(["127.0.0.1", $args["port"], 20]);
            $redLock = new RedLock([["127.0.0.1", $args["port"], 20]], 0, 1);
            $handle = $inner = null;
            pcntl_signal(SIGUSR1, function () use ($lock, $redLock, &$handle, &$inner, $args): void {
                posix_kill($args["server"], SIGCONT);
                $inner = (static function () use ($lock, $redLock, $handle, $args) { %s })();
            });
            %s
            report("ready");
            fgets(STDIN);
            report("calling");
            %s
        ';
        $process = PhpProcess::start(
            sprintf($prelude, $during, $before, $after),
            ['port' => $server->port, 'server' => $server->pid()],
        );
        self::assertSame('ready', PhpProcess::report($process));
        $server->stop();
        $process->writeLine('go on');
        self::assertSame('calling', PhpProcess::report($process));
        $waits = static fn (): bool => str_contains((string) file_get_contents("/proc/$process->pid/stat"), ') S');
        Wait::until($waits, 'the call to wait for the server');
        $process->signal(SIGUSR1);
        $report = PhpProcess::report($process);
        $process->wait();
        return $report;
    }

    public function testWhatAHandlerTakesDuringTheReleaseStaysHeldAndCanBeReleased(): void
    {
        $server = $this->server();
        $report = $this->interrupt(
            $server,
            '$lock->getPidLock("p", 60);',
            'return $lock->getPidLock("p", 50);',
            '
                $lock->releasePidLock("p");
                $held = [$inner, $lock->holdsPidLock("p"), $lock->remainingPidLock("p") > 40];
                $lock->releasePidLock("p");
                report($held);
            ',
        );
        self::assertSame([1, true, true], $report);
        self::assertSame(0, $server->client()->call('DBSIZE'), 'the second release has removed it');
    }

    public function testAHandlerThatReleasesDuringTheReleaseDoesNoHarm(): void
    {
        $server = $this->server();
        $report = $this->interrupt(
            $server,
            '$lock->getPidLock("p", 60);',
            'return $lock->releasePidLock("p");',
            'report([$lock->releasePidLock("p"), $inner, $lock->getPidLock("p", 60)]);',
        );
        self::assertSame([true, true, 1], $report);
    }

    public function testAHandlerThatTakesTheKeyDuringTheTakeLosesAndTheLockIsKept(): void
    {
        $server = $this->server();
        $report = $this->interrupt(
            $server,
            '',
            'return $lock->getPidLock("p", 50);',
            'report([$lock->getPidLock("p", 60), $inner, $lock->holdsPidLock("p"), $lock->releasePidLock("p")]);',
        );
        self::assertSame([1, 0, true, true], $report);
        self::assertSame(0, $server->client()->call('DBSIZE'));
    }

    public function testALockThatAHandlerReleasesIsNotHeldByTheCheckThatItInterrupted(): void
    {
        $report = $this->interrupt(
            $this->server(),
            '$lock->getPidLock("p", 60);',
            'return $lock->releasePidLock("p");',
            'report([$lock->holdsPidLock("p"), $inner]);',
        );
        self::assertSame([false, true], $report);
    }

    public function testALockThatAHandlerReleasesAndTakesAgainIsNotTheOneThatWasChecked(): void
    {
        $report = $this->interrupt(
            $this->server(),
            '$lock->getPidLock("p", 60);',
            '$lock->releasePidLock("p"); return $lock->getPidLock("p", 60);',
            'report([$lock->holdsPidLock("p"), $inner, $lock->holdsPidLock("p")]);',
        );
        self::assertSame([false, 1, true], $report);
    }

    /** @return iterable<string, array{string, string}> */
    public static function callsOnAHandle(): iterable
    {
        $another = '(new RedLock([["127.0.0.1", $args["port"], 20]], 0, 1))';
        foreach (['isHeld($handle)', 'extend($handle, 60000)'] as $call) {
            yield "$call, released by the same object" => [$call, '$redLock'];
            yield "$call, released by another object" => [$call, $another];
        }
    }

    /** @dataProvider callsOnAHandle */
    public function testAHandleThatAHandlerReleasesIsNeitherHeldNorExtended(string $call, string $releasing): void
    {
        $server = $this->server();
        $report = $this->interrupt(
            $server,
            '$handle = $redLock->lock("r", 60000);',
            "return {$releasing}->unlock(\$handle);",
            "report([\$redLock->$call, \$inner]);",
        );
        self::assertSame([false, true], $report);
        self::assertSame(0, $server->client()->call('DBSIZE'));
    }

    public function testAHandlerThatReleasesAnotherLockDoesNoHarm(): void
    {
        $report = $this->interrupt(
            $this->server(),
            '$handle = $redLock->lock("other", 60000); $mine = $redLock->lock("r", 60000);',
            'return $redLock->unlock($handle);',
            'report([is_array($redLock->extend($mine, 60000)), $inner]);',
        );
        self::assertSame([true, true], $report);
    }

    public function testAKeyMethodThatUsesTheLockItselfSeesTheLedgerAsItIs(): void
    {
        $server = $this->server();
        $code = '
            $lock = new class(["127.0.0.1", $args["port"], 5]) extends PidLock {
                public int $depth = 0;
                protected function _getLockKey(string|int $pid): string
                {
                    if ($this->depth++ === 0) {
                        $this->releasePidLock($pid);
                        $this->getPidLock($pid, 60);
                    }
                    return "key:$pid";
                }
            };
            $taken = $lock->getPidLock("p", 10);
            $first = [$taken, $lock->holdsPidLock("p"), $lock->remainingPidLock("p") > 50];
            $lock->depth = 0;
            $lock->releasePidLock("p");
            report([...$first, $lock->remainingPidLock("p")]);
        ';
        self::assertSame([0, true, true, 0.0], PhpProcess::run($code, ['port' => $server->port]));
        self::assertSame(0, $server->client()->call('DBSIZE'));
    }

    public function testACallOfAHandlerLeavesNothingBehindInWhatTheInterruptedCallTells(): void
    {
        $specs = [];
        foreach ($this->fleet(2)->servers as $server) {
            $server->client()->call('SET', 'r', 'another', 'PX', '60000');
            $proxy = $this->proxy($server);
            $proxy->delay(60);
            $specs[] = ['127.0.0.1', $proxy->port, 5];
        }
        $specs[] = ['127.0.0.1', $dead = FreePort::find(), 5];
        $code = '
            pcntl_async_signals(true);
            $redLock = new RedLock($args["servers"], 10, 2);
            $calls = 0;
            $seen = [];
            pcntl_signal(SIGUSR1, static function () use ($redLock, &$calls, &$seen): void {
                // Behind the interrupted call it would rightly be the latest one.
                if (!in_array("lock", array_column(debug_backtrace(), "function"), true)) {
                    return;
                }
                $calls++;
                $seen = $redLock->lastErrors();
                $redLock->unlock(false);
            });
            report("ready");
            $lock = $redLock->lock("r", 10000);
            $told = $redLock->lastErrors();
            // From PHP 8.5 on the last one comes behind the call, but seems to come within: it saw what the call told.
            report([$lock, $calls > 1, isset($told["lock"]) ? $seen : $told]);
        ';
        $process = $this->php($code, ['servers' => $specs]);
        self::assertSame('ready', PhpProcess::report($process));
        // Often enough to meet each of the call's waits, the last of which looks for a key without an expiry.
        $line = Wait::until(static function () use ($process): ?string {
            $line = $process->pollLine();
            if ($line === null) {
                $process->signal(SIGUSR1);
            }
            return $line;
        }, 'the call to end');
        self::assertSame([false, true, ["127.0.0.1:$dead" => 'Connection refused']], json_decode($line, true));
    }

    public function testTheObjectWhoseMethodWaitsForTheLockOutlivesAHandlerThatLetsGoOfIt(): void
    {
        $report = $this->interrupt(
            $this->server(),
            '
                $manager = new RedLock\LockManager([["127.0.0.1", $args["port"], 20]]);
                $object = new class {
                    public array $done = [];
                    public function run(): array { return [...$this->done, "run"]; }
                };
                $handle = &$object;
                $method = [&$object, "run"];
            ',
            '$GLOBALS["method"][0] = null; return 1;',
            'report([$manager->synchronized("r", $method), $object, $inner]);',
        );
        self::assertSame([['run'], null, 1], $report);
    }
}
