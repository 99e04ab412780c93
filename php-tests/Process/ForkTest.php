<?php

/** After pcntl_fork() the child makes connections of its own and never touches its parent's, nor its locks. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\ServerTestCase;

final class ForkTest extends ServerTestCase
{
    private const PRELUDE = '
        $r = new RedLock([["127.0.0.1", $args["port"], 1]], 0, 1, ["clientName" => "forked"]);
        $p = new PidLock(["host" => "127.0.0.1", "port" => $args["port"], "timeout" => 1]);
        $connect = fn () => new RedLock\Harness\RespClient("tcp://127.0.0.1:$args[port]");
        $admin = fn (...$words) => $connect()->call(...$words);
        $ids = function () use ($admin) {
            preg_match_all("/^id=(\d+) .* name=forked /m", $admin("CLIENT", "LIST"), $matches);
            return $matches[1];
        };
        $inChild = function (callable $work) {
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $pid = pcntl_fork();
            if ($pid === 0) {
                fwrite($theirs, json_encode($work()) . "\n");
                exit(0);
            }
            $answer = json_decode(fgets($ours), true);
            pcntl_waitpid($pid, $status);
            return [$answer, $status];
        };
    ';

    private function inPhp(string $code): mixed
    {
        return PhpProcess::run(self::PRELUDE . $code, ['port' => $this->server()->port]);
    }

    public function testTheChildMakesAConnectionOfItsOwn(): void
    {
        [$before, $inChild, $after] = $this->inPhp('
            $r->lock("a", 10000);
            $before = $ids();
            [$inChild] = $inChild(function () use ($r, $ids) { $r->lock("b", 10000); return $ids(); });
            $r->lock("c", 10000);
            report([$before, $inChild, $ids()]);
        ');
        self::assertCount(1, $before);
        self::assertCount(2, $inChild, 'the parent\'s and the child\'s');
        self::assertContains($before[0], $inChild);
        self::assertSame($before, $after, 'the parent still has its own, and only that');
    }

    public function testParentAndChildBothWorkAfterManyForks(): void
    {
        $answers = $this->inPhp('
            $r->lock("a", 10000);
            $answers = [];
            for ($i = 0; $i < 10; ++$i) {
                [$turn] = $inChild(fn () => is_array($lock = $r->lock("r$i", 10000)) && $r->unlock($lock));
                $answers[] = $turn && is_array($lock = $r->lock("r$i", 10000)) && $r->unlock($lock);
            }
            report($answers);
        ');
        self::assertSame(array_fill(0, 10, true), $answers);
    }

    public function testParentAndChildAtTheSameTimeDoNotMixUpAnswers(): void
    {
        $answers = $this->inPhp('
            $r->lock("a", 10000);
            $turns = function (string $who) use ($r) {
                $good = 0;
                for ($i = 0; $i < 500; ++$i) {
                    $lock = $r->lock($who, 10000);
                    $good += is_array($lock) && $r->isHeld($lock) && $r->unlock($lock);
                }
                return $good;
            };
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            if (pcntl_fork() === 0) {
                fwrite($theirs, $turns("child") . "\n");
                exit(0);
            }
            $mine = $turns("parent");
            report([$mine, (int) fgets($ours)]);
        ');
        self::assertSame([500, 500], $answers);
    }

    public function testTheEndOfTheChildDoesNotEndTheParentsConnectionOrLock(): void
    {
        [$before, $after, $held] = $this->inPhp('
            $lock = $r->lock("a", 10000);
            $before = $ids();
            $inChild(fn () => null);
            report([$before, $ids(), $r->isHeld($lock)]);
        ');
        self::assertSame($before, $after);
        self::assertTrue($held);
    }

    public function testAnObjectThatTheParentNeverUsedWorksInTheChild(): void
    {
        [$answer] = $this->inPhp('report($inChild(fn () => is_array($r->lock("a", 10000))));');
        self::assertTrue($answer);
    }

    public function testAHandleWorksOnBothSidesOfAFork(): void
    {
        [$inChild, $inParent] = $this->inPhp('
            $lock = $r->lock("a", 10000);
            [$inChild] = $inChild(fn () => $r->isHeld($lock));
            report([$inChild, $r->unlock($lock)]);
        ');
        self::assertTrue($inChild, 'who has the handle may use it');
        self::assertTrue($inParent);
    }

    public function testTheChildDoesNotOwnItsParentsPidLocks(): void
    {
        [$inChild, $stillThere, $inParent, $gone] = $this->inPhp('
            $p->getPidLock("a", 10);
            [$inChild] = $inChild(fn () => [$p->releasePidLock("a"), $p->holdsPidLock("a"), $p->getPidLock("a", 10)]);
            $stillThere = $admin("EXISTS", "lock_pid:a");
            $inParent = [$p->holdsPidLock("a"), $p->releasePidLock("a")];
            report([$inChild, $stillThere, $inParent, $admin("EXISTS", "lock_pid:a")]);
        ');
        self::assertSame([true, false, 0], $inChild);
        self::assertSame(1, $stillThere);
        self::assertSame([true, true], $inParent);
        self::assertSame(0, $gone);
    }

    /** @return iterable<string, array{string, bool, bool, string}> */
    public static function callsThatAreForked(): iterable
    {
        foreach (['lock', 'unlock', 'getPidLock', 'releasePidLock'] as $verb) {
            foreach ([false, true] as $decided) {
                foreach ([false, true] as $throws) {
                    foreach (['child', 'parent'] as $first) {
                        $name = "$verb, " . ($decided ? 'decided' : 'undecided')
                            . ($throws ? ', left by an exception' : '') . ", $first first";
                        yield $name => [$verb, $decided, $throws, $first];
                    }
                }
            }
        }
    }

    /**
     * A signal handler forks while the call waits. Where it uses locks itself before, it moves the call that waits to
     * its end, and the fork finds a decision.
     *
     * @dataProvider callsThatAreForked
     */
    public function testACallDuringWhichAHandlerForksIsTheParentsAlone(
        string $verb,
        bool $decided,
        bool $throws,
        string $first,
    ): void {
        [$inChild, $inParent, $key, $held] = PhpProcess::run(self::PRELUDE . '
            pcntl_async_signals(true);
            $r = new RedLock([["127.0.0.1", $args["port"], 20]], 0, 1);
            $p = new PidLock(["host" => "127.0.0.1", "port" => $args["port"], "timeout" => 20]);
            $usual = [$r->lock("a", 60000), $p->getPidLock("a", 60)];
            $calls = [
                "lock" => fn () => $usual[0] = $r->lock("b", 60000),
                "unlock" => fn () => $r->unlock($usual[0]),
                "getPidLock" => fn () => $p->getPidLock("b", 60),
                "releasePidLock" => fn () => $p->releasePidLock("a"),
            ];
            $use = str_contains($args["verb"], "Pid") ? fn () => $p->getPidLock("c", 60) : fn () => $r->lock("c", 60000);
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $child = null;
            $answer = null;
            pcntl_signal(SIGUSR1, function () use (&$child, &$answer, $args, $admin, $use, $ours, $theirs) {
                if ($args["decided"]) {
                    $admin("CLIENT", "UNPAUSE");
                    $use();
                }
                $child = pcntl_fork();
                if ($child === 0) {
                    if ($args["first"] === "parent") { fgets($theirs); }
                    if ($args["throws"]) { throw new DomainException("left"); }
                    return;
                }
                if ($args["first"] === "child") {
                    $answer = fgets($ours);
                    pcntl_waitpid($child, $status);
                }
                $admin("CLIENT", "UNPAUSE");
            });
            // Commands that write wait until the handler ends the pause.
            $admin("CLIENT", "PAUSE", "20000", "WRITE");
            $messenger = proc_open(["sh", "-c", "sleep 0.2; kill -USR1 " . getmypid()], [], $pipes);
            try {
                $result = $calls[$args["verb"]]();
            } catch (Exception $error) {
                $result = get_class($error) . ": " . $error->getMessage();
            }
            if ($child === 0) {
                // What it had to send would go with this call at the latest, now that the pause is over.
                $admin("CLIENT", "UNPAUSE");
                $use();
                fwrite($theirs, json_encode(is_array($result) ? "a lock" : $result) . "\n");
                exit(0);
            }
            if ($args["first"] === "parent") {
                fwrite($ours, "go\n");
                $answer = fgets($ours);
                pcntl_waitpid($child, $status);
            }
            $names = ["lock" => "b", "unlock" => "a", "getPidLock" => "lock_pid:b", "releasePidLock" => "lock_pid:a"];
            report([
                json_decode($answer),
                is_array($result) ? "a lock" : $result,
                $admin("EXISTS", $names[$args["verb"]]),
                $args["verb"] === "lock" ? $r->isHeld($result) : $p->holdsPidLock("b"),
            ]);
        ', compact('verb', 'decided', 'throws', 'first') + ['port' => $this->server()->port]);
        $expected = match (true) {
            $throws => 'DomainException: left',
            $verb === 'lock' => 'RedLock\QuorumException: RedLock::lock(): the process forked during the call',
            $verb === 'getPidLock' =>
                'RedLock\ConnectionException: PidLock::getPidLock(): the process forked during the call',
            default => $verb === 'releasePidLock',
        };
        self::assertSame($expected, $inChild);
        self::assertSame(['lock' => 'a lock', 'getPidLock' => 1][$verb] ?? true, $inParent);
        $takes = in_array($verb, ['lock', 'getPidLock'], true);
        self::assertSame((int) $takes, $key, 'what the parent asked for is done, and stays');
        self::assertSame($takes, $held);
    }

    public function testAForkWhileARefusedLockLooksWhyIsToldToTheChild(): void
    {
        $proxy = $this->proxy($server = $this->server());
        $server->client()->call('SET', 'busy', 'another', 'PX', '60000');
        $proxy->delay(250);
        [$inChild, $inParent] = PhpProcess::run(self::PRELUDE . '
            pcntl_async_signals(true);
            $slow = new RedLock([["127.0.0.1", $args["slow"], 20]], 0, 2);
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $child = null;
            pcntl_signal(SIGUSR1, function () use (&$child, $admin) {
                // The server has been asked, and its answer is on the way.
                if ($child === null && str_contains($admin("INFO", "commandstats"), "cmdstat_pttl")) {
                    $child = pcntl_fork();
                }
            });
            $again = "for i in $(seq 500); do kill -USR1 " . getmypid() . " || exit; sleep 0.02; done";
            $messenger = proc_open(["sh", "-c", $again], [2 => ["file", "/dev/null", "w"]], $pipes);
            try {
                $result = $slow->lock("busy", 60000);
            } catch (Exception $error) {
                $result = get_class($error) . ": " . $error->getMessage();
            }
            if ($child === 0) {
                fwrite($theirs, json_encode($result) . "\n");
                exit(0);
            }
            proc_terminate($messenger);
            report([$child === null ? "no fork" : json_decode(fgets($ours)), $result]);
        ', ['port' => $server->port, 'slow' => $proxy->port]);
        self::assertSame('RedLock\QuorumException: RedLock::lock(): the process forked during the call', $inChild);
        self::assertFalse($inParent);
    }

    public function testTheChildClosesItsParentsDescriptorsAtItsFirstCall(): void
    {
        [$parents, $kept, $still] = $this->inPhp('
            $sockets = fn () => array_filter(
                array_map(fn ($fd) => (string) @readlink($fd), glob("/proc/self/fd/*")),
                fn ($target) => str_starts_with($target, "socket:"),
            );
            $before = $sockets();
            $r->lock("a", 10000);
            $p->getPidLock("a", 10);
            $parents = array_values(array_diff($sockets(), $before));
            [$kept] = $inChild(function () use ($p, $sockets, $parents) {
                $p->remainingPidLock("a");
                $p->getPidLock("b", 10);
                return array_values(array_intersect($sockets(), $parents));
            });
            report([count($parents), $kept, array_values(array_diff($parents, $sockets()))]);
        ');
        self::assertSame(2, $parents);
        self::assertSame([], $kept);
        self::assertSame([], $still, 'the parent keeps its own');
    }

    public function testAForkWithinASignalHandlerWithinACallLeavesBothSane(): void
    {
        $report = $this->inPhp('
            pcntl_async_signals(true);
            $admin("SET", "busy", "theirs");
            $slow = new RedLock([["127.0.0.1", $args["port"], 1]], 400, 2);
            $child = null;
            pcntl_signal(SIGALRM, function () use (&$child, $inChild, $r) {
                $child = $inChild(fn () => is_array($r->lock("of the child", 5000)));
            });
            pcntl_alarm(1);
            while ($child === null) { $slow->lock("busy", 5000); }
            report([$child, is_array($r->lock("of the parent", 5000))]);
        ');
        self::assertSame([[true, 0], true], $report);
    }
}
