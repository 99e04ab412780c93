<?php

/** A lease is given back however the code that held it ends. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\LeaseTestCase;

final class EndTest extends LeaseTestCase
{
    private const PRELUDE = '
        $locks = new RedLock\LockManager($args["servers"]);
        $lease = $locks->acquire("r", 60000, 0, $args["options"]);
        report($lease?->token);
        fgets(STDIN);
    ';

    public function testTheEndOfAScopeReleases(): void
    {
        $locks = self::locks();
        (static function () use ($locks): void {
            $lease = self::leased($locks);
            self::assertTrue($lease->isLive());
        })();
        self::assertReleased();
    }

    public function testAnExceptionThatLeavesTheScopeReleases(): void
    {
        $locks = self::locks();
        self::caught(\DomainException::class, static function () use ($locks): void {
            $lease = self::leased($locks);
            throw new \DomainException("while $lease->resource is held");
        });
        self::assertReleased();
    }

    public function testAssigningSomethingElseReleases(): void
    {
        $lease = self::leased(self::locks());
        $lease = null;
        self::assertReleased();
    }

    public function testACycleThatIsCollectedReleases(): void
    {
        $holder = new \stdClass();
        $holder->self = $holder;
        $holder->lease = self::leased(self::locks());
        unset($holder);
        self::assertNotSame([null, null, null], self::$fleet->values('r', 3));
        gc_collect_cycles();
        self::assertReleased();
    }

    /** @group real */
    public function testAcquireAndTheEndOfTheScopeAreOneRoundTrip(): void
    {
        $fleet = $this->fleet(1);
        $proxy = $this->proxy($fleet->servers[0]);
        $locks = new \RedLock\LockManager([$proxy->spec(5.0)]);
        $take = static function () use ($locks): void {
            self::leased($locks);
        };
        $take();
        $proxy->delay(250);
        $seconds = self::secondsOf($take);
        self::assertGreaterThanOrEqual(0.5, $seconds);
        self::assertLessThan(1.0, $seconds, 'a release that waits takes two round trips of half a second');
    }

    /**
     * @dataProvider ends
     * @param array<string, string|int> $settings
     * @group real
     */
    public function testAProcessReleasesHoweverItEnds(string $end, array $settings = []): void
    {
        $this->hold($end, [], $settings);
        self::assertReleased();
    }

    /** @return iterable<string, array> */
    public static function ends(): iterable
    {
        yield 'the end of the script' => [''];
        yield 'exit' => ['exit(3);'];
        yield 'exit in a function that holds another' => ['(function () use ($locks) { $other = $locks->acquire("other", 60000); exit; })();'];
        yield 'an exception that nobody catches' => ['throw new Exception("end");'];
        yield 'an error in a destructor' => ['class D { function __destruct() { throw new Exception("end"); } } $d = new D();'];
        yield 'a fatal error' => ['eval("interface I { function f(); } class C implements I {}");'];
        yield 'a fatal error by name' => ['trigger_error("end", E_USER_ERROR);'];
        yield 'the memory limit' => ['$all = []; while (true) { $all[] = str_repeat("x", 100000); }', ['memory_limit' => '16M']];
        yield 'the time limit' => ['set_time_limit(1); while (true) { hash("sha256", "x"); }'];
        yield 'the time limit during a wait' => ['set_time_limit(1); $none = $locks->acquire("r", 60000, 600000);'];
        yield 'die in a shutdown function' => ['register_shutdown_function(static function () { die; });'];
        yield 'an object that holds it' => ['$o = new stdClass(); $o->self = $o; $o->lease = $lease; unset($lease); gc_disable();'];
        yield 'a suspended fiber' => ['$f = new Fiber(function () use (&$lease) { $l = $lease; $lease = null; Fiber::suspend(); }); $f->start();'];
        yield 'a static variable' => ['final class S { public static $lease; } S::$lease = $lease; unset($lease);'];
        yield 'no persistent connections' => ['', ['redlock.persistent' => '0']];
        yield 'opcache, where there is one' => ['', ['opcache.enable_cli' => '1']];
    }

    /**
     * Somewhere in the middle of acquire() there is no memory left, each time elsewhere.
     *
     * @group real
     */
    public function testTheMemoryLimitInTheMiddleOfAnAcquisitionLeavesNothingBehind(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"]);
            $leases = [];
            $filling = [];
            report("begun");
            $limit = memory_get_usage(true);
            ini_set("memory_limit", (string) $limit);
            // Enough is left for some hundreds.
            while (memory_get_usage() < $limit - 400_000 - $args["room"]) {
                $filling[] = str_repeat("x", 100);
            }
            for ($i = 0; $i < 60000; ++$i) {
                $leases[] = $locks->acquire($i, 60000);
            }
        ';
        foreach (range(0, 9) as $i) {
            $process = $this->php($code, ['servers' => self::$fleet->specs(3), 'room' => $i * 10_007]);
            self::assertSame('begun', PhpProcess::report($process));
            $said = '';
            self::assertSame(255, self::end($process, $said), $said);
            self::assertStringContainsString('Allowed memory size', $said);
            self::assertGreaterThan(0, self::$fleet->calls('set'), 'something was acquired');
            Wait::until(static fn (): bool => self::$fleet->keyCount() === 0, 'all of them to be released');
        }
    }

    public function testThousandsOfLeasesAreReleasedAtOnce(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"]);
            for ($i = 0; $i < 3000; ++$i) {
                $leases[] = $locks->acquire($i, 60000);
            }
            report(count(array_filter($leases)));
        ';
        self::assertSame(3000, PhpProcess::run($code, ['servers' => self::$fleet->specs(3)]));
        Wait::until(static fn (): bool => self::$fleet->keyCount() === 0, 'all of them to be released');
    }

    public function testAFatalErrorInsideSynchronizedReleases(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"]);
            $locks->synchronized("r", static function () {
                report("inside");
                eval("interface I { function f(); } class C implements I {}");
            });
        ';
        self::assertSame('inside', PhpProcess::run($code, ['servers' => self::$fleet->specs(3)]));
        self::assertReleased();
    }

    /**
     * @dataProvider keptEnds
     * @group real
     */
    public function testALeaseThatIsToOutliveTheRequestDoes(string $end): void
    {
        $token = $this->hold($end, ['atEnd' => 'keep']);
        self::assertSame(array_fill(0, 3, $token), self::$fleet->values('r', 3));
    }

    /** @return iterable<string, array{string}> */
    public static function keptEnds(): iterable
    {
        yield 'the end of the script' => [''];
        yield 'exit' => ['exit;'];
        yield 'exit in a function that has it' => ['$f = function ($lease) { exit; }; (function () use (&$lease, $f) { $l = $lease; $lease = null; $f($l); })();'];
        yield 'an object that holds it' => ['$o = new stdClass(); $o->lease = $lease; unset($lease);'];
        yield 'a suspended fiber' => ['$f = new Fiber(function () use (&$lease) { $l = $lease; $lease = null; Fiber::suspend(); }); $f->start();'];
        yield 'a static variable' => ['final class S { public static $lease; } S::$lease = $lease; unset($lease);'];
        yield 'a fatal error' => ['eval("interface I { function f(); } class C implements I {}");'];
    }

    /**
     * @dataProvider releasedBefore
     * @group real
     */
    public function testUnlessItGoesBefore(string $end): void
    {
        $this->hold($end, ['atEnd' => 'keep']);
        self::assertReleased();
    }

    /** @return iterable<string, array{string}> */
    public static function releasedBefore(): iterable
    {
        yield 'a suspended fiber that goes' => ['$f = new Fiber(function () use (&$lease) { $l = $lease; $lease = null; Fiber::suspend(); }); $f->start(); unset($f);'];
        yield 'in the middle of the request' => ['unset($lease);'];
        yield 'by release' => ['$lease->release();'];
        yield 'in a shutdown function' => ['register_shutdown_function(static function () { unset($GLOBALS["lease"]); });'];
        yield 'in a destructor' => ['class D { public $lease; function __destruct() { $this->lease = null; } } $d = new D(); $d->lease = $lease; unset($lease);'];
    }

    /** @group real */
    public function testMethodsWorkInADestructorAtTheVeryEnd(): void
    {
        $this->hold('
            final class D
            {
                public function __construct(private $lease, private $locks) { $this->self = $this; }
                public $self;
                function __destruct() { report([$this->lease->isLive(), $this->lease->confirm(), $this->lease->release(), ($again = $this->locks->acquire("r")) !== null]); }
            }
            $d = new D($lease, $locks);
            unset($lease, $locks, $d);
            gc_disable();
        ', [], [], [true, true, true, true]);
        self::assertReleased();
    }

    /** @group real */
    public function testARequestThatEndsReleasesThoughTheProcessLivesOn(): void
    {
        $web = $this->web('
            static $kept;
            $locks = new RedLock\LockManager(json_decode($_GET["servers"]));
            $kept = $lease = $locks->acquire("r", 60000, 0, ["keepAlive" => true]);
            echo json_encode($lease !== null);
        ');
        $query = http_build_query(['servers' => json_encode(self::$fleet->specs(3))]);
        for ($i = 0; $i < 3; ++$i) {
            self::assertSame('true', $web->get($query));
            self::assertReleased();
        }
    }

    /** Waits for the end of a process; gives its exit code and collects what it said. */
    private static function end(ChildProcess $process, string &$said): int
    {
        $code = $process->wait();
        while (($line = $process->pollLine()) !== null) {
            $said .= "$line\n";
        }
        return $code;
    }

    /**
     * A process that has the lease comes to an end; gives the lease's token.
     *
     * @param array<string, mixed> $options
     * @param array<string, string|int> $settings
     */
    private function hold(string $end, array $options = [], array $settings = [], mixed $said = null): string
    {
        $args = ['servers' => self::$fleet->specs(3), 'options' => (object) $options];
        $process = $this->php(self::PRELUDE . $end, $args, $settings);
        $token = PhpProcess::report($process);
        self::assertIsString($token);
        Wait::until(static fn (): bool => self::$fleet->values('r', 3) === array_fill(0, 3, $token), 'three votes');
        $process->writeLine('end');
        if ($said !== null) {
            self::assertSame($said, PhpProcess::report($process));
        }
        $process->wait();
        return $token;
    }
}
