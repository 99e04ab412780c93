<?php

/** What a long-lived process keeps: not the locks that it left to expire. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Tests\Support\PhpProcess;
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
}
