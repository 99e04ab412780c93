<?php

/** A daemon that has closed its standard streams: what it prints is no command. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\Tests\Support\SharedFleetTestCase;

final class StandardStreamsTest extends SharedFleetTestCase
{
    public function testWhatADaemonPrintsReachesNoServer(): void
    {
        $code = '
            fclose(STDIN);
            fclose(STDOUT);
            fclose(STDERR);
            $locks = new RedLock\LockManager($args["servers"], ["timeout" => 0.5]);
            $lease = $locks->acquire("r", 10000, 0, ["keepAlive" => true, "atEnd" => "keep"]);
            $redLock = new RedLock($args["servers"]);
            $held = $redLock->lock("s", 10000);
            $stands = array_filter([0, 1, 2], fn ($number) => @readlink("/proc/self/fd/$number") !== false);
            file_put_contents($args["report"], json_encode([$lease !== null, $held !== false, $stands]));
            echo "SET printed 1\n";
            @file_put_contents("php://stderr", "SET printed 1\n");
        ';
        $report = TempFolder::make() . '/report';
        $process = $this->php($code, ['servers' => self::$fleet->specs(3), 'report' => $report]);
        $process->wait();
        self::assertSame('[true,true,[]]', file_get_contents($report));
        self::assertSame([null], array_unique(self::$fleet->values('printed')));
    }
}
