<?php

/** Signal handlers, and overridden methods, that use the same lock in the middle of a call on it. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Tests\Support\PhpProcess;
use RedLock\Tests\Support\RedisServer;
use RedLock\Tests\Support\ServerTestCase;
use RedLock\Tests\Support\Wait;

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
            $inner = null;
            pcntl_signal(SIGUSR1, function () use ($lock, &$inner, $args): void {
                posix_kill($args["server"], SIGCONT);
                $inner = (static function () use ($lock) { %s })();
            });
            %s
            report("ready");
            fgets(STDIN);
            report("calling");
            %s
        ';
        $process = PhpProcess::start(
            sprintf($prelude, $during, $before, $after),
            ['port' => $server->port, 'server' => self::processOf($server)],
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

    private static function processOf(RedisServer $server): int
    {
        $info = $server->client()->call('INFO', 'server');
        self::assertSame(1, preg_match('/^process_id:(\d+)/m', $info, $match));
        return (int) $match[1];
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
}
