<?php

/** What a long-lived process keeps: neither the locks that it left to expire nor the passwords that it used once. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\ServerTestCase;

final class MemoryTest extends ServerTestCase
{
    public function testPidLocksThatAreLeftToExpireDoNotPileUp(): void
    {
        $code = '
            $lock = new PidLock(["127.0.0.1", $args["port"], 5]);
            $resident_kib = static function (): int {
                preg_match("/VmRSS:\s+(\d+)/", file_get_contents("/proc/self/status"), $match);
                return (int) $match[1];
            };
            $take = static function (int $from, int $count) use ($lock): void {
                for ($i = $from; $i < $from + $count; ++$i) {
                    $lock->getPidLock("name $i", 0.05);
                }
            };
            $take(0, 5000);
            $before = $resident_kib();
            $take(5000, 20000);
            report($resident_kib() - $before);
        ';
        $grown_kib = PhpProcess::run($code, ['port' => $this->server()->port]);
        self::assertLessThan(1024, $grown_kib, 'twenty thousand remembered locks take five times as much');
    }

    public function testUsersWhosePasswordsAreRotatedDoNotPileUp(): void
    {
        $users = array_map(static fn (int $i): string => "user user$i on >password$i ~* +@all", range(0, 4999));
        $server = $this->server([], $users);
        $code = '
            $resident_kib = static function (): int {
                preg_match("/VmRSS:\s+(\d+)/", file_get_contents("/proc/self/status"), $match);
                return (int) $match[1];
            };
            $use = static function (int $from, int $count) use ($args): void {
                for ($i = $from; $i < $from + $count; ++$i) {
                    $spec = ["port" => $args["port"], "timeout" => 5, "auth" => ["user$i", "password$i"]];
                    $redLock = new RedLock([["host" => "127.0.0.1"] + $spec], 0, 1);
                    $redLock->unlock($redLock->lock("r", 10000));
                }
            };
            $use(0, 1000);
            $before = $resident_kib();
            $use(1000, 4000);
            report($resident_kib() - $before);
            fgets(STDIN);
        ';
        $process = $this->php($code, ['port' => $server->port]);
        $grown_kib = PhpProcess::report($process);
        self::assertLessThan(1024, $grown_kib, 'four thousand remembered users take six times as much');
        self::assertSame(1, preg_match('/^connected_clients:(\d+)/m', $server->client()->call('INFO', 'clients'), $match));
        self::assertLessThanOrEqual(256 + 1, (int) $match[1], 'the process has at most 256, and we have one');
    }
}
