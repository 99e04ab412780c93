<?php

/** A queue worker of Laravel that is told to stop while its job waits for a lock. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;

final class WorkerTest extends StoreTestCase
{
    public function testItsJobWaitsNoLongerWhereThatIsWanted(): void
    {
        $lock = $this->lock(seconds: 60);
        $lock->get();
        $worker = $this->worker(['cancel_waits' => true]);
        posix_kill($worker->pid, \SIGTERM);
        self::assertSame('LockTimeoutException', PhpProcess::report($worker));
        self::assertSame(0, PhpProcess::report($worker), 'the worker stops as it always does');
        self::assertTrue($lock->isOwnedByCurrentProcess());
    }

    public function testItsJobIsFinishedOtherwise(): void
    {
        $lock = $this->lock(seconds: 60);
        $lock->get();
        $worker = $this->worker([]);
        posix_kill($worker->pid, \SIGTERM);
        $lock->release();
        self::assertTrue(PhpProcess::report($worker));
        self::assertSame(0, PhpProcess::report($worker));
    }

    /** Laravel's own, with its own signal handlers, at a job that waits in line. */
    private function worker(array $settings): ChildProcess
    {
        $worker = $this->process('
            use Illuminate\Contracts\Debug\ExceptionHandler;
            use Illuminate\Queue\{Worker, WorkerOptions};
            final class Job extends Illuminate\Queue\Jobs\Job implements Illuminate\Contracts\Queue\Job {
                protected $payload = [];
                public function __construct(private $cache) { $this->container = Illuminate\Container\Container::getInstance(); }
                public function getJobId() { return "1"; }
                public function getRawBody() { return json_encode(["job" => "stdClass", "data" => []]); }
                public function attempts() { return 1; }
                public function fire() {
                    report("waiting");
                    try {
                        report($this->cache->lock("r", 10)->block(60));
                    } catch (Illuminate\Contracts\Cache\LockTimeoutException $error) {
                        report(class_basename($error));
                    }
                }
            }
            final class Jobs extends Illuminate\Queue\QueueManager {
                public function connection($name = null) { return $this; }
                public function getConnectionName() { return "jobs"; }
                public function pop($queue = null) { static $jobs = []; return $jobs === [] ? $jobs[] = new Job($this->app["cache"]->store("redlock")) : null; }
            }
            Illuminate\Support\Facades\Facade::setFacadeApplication($app);
            $app->instance(ExceptionHandler::class, new class implements ExceptionHandler {
                public function report(Throwable $e) { fwrite(STDERR, $e); }
                public function shouldReport(Throwable $e) { return true; }
                public function render($request, Throwable $e) {}
                public function renderForConsole($output, Throwable $e) {}
            });
            $worker = new Worker(new Jobs($app), $app["events"], $app[ExceptionHandler::class], static fn () => false);
            report($worker->daemon("jobs", "default", new WorkerOptions()));
        ', [], $settings);
        self::assertSame('waiting', PhpProcess::report($worker));
        $locks = new LockManager(self::$fleet->specs(3));
        Wait::until(static fn (): bool => $locks->inspect('shop_r')['waiters'] === 1, 'the job in line');
        return $worker;
    }
}
