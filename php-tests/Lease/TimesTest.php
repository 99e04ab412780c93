<?php

/** Times of leases: a ttl in what may be meant as seconds is told, and PHP's Time\Duration is taken where there is one. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\TempFolder;
use RedLock\LockManager;
use RedLock\Tests\Support\LeaseTestCase;

final class TimesTest extends LeaseTestCase
{
    public function testATtlThatMayBeMeantAsSecondsIsToldOnceInPhpsLogAndToNoErrorHandler(): void
    {
        $log = TempFolder::make() . '/log';
        touch($log);
        $process = $this->php('
            set_error_handler(static fn () => throw new ErrorException("never"));
            $locks = new RedLock\LockManager($args["servers"]);
            $told = static fn (): int => substr_count(file_get_contents($args["log"]), "a ttl of 10 means milliseconds, not seconds");
            $leases[] = $locks->acquire("r", 100);
            @$leases[] = $locks->acquire("a", 10);
            report($told());
            $locks->synchronized("b", static fn () => null, 10, 0, ["keepAlive" => false]);
            report($told());
            $leases[] = $locks->acquire("c", 10);
            report($told());
        ', ['servers' => self::$fleet->specs(3, 2.0), 'log' => $log], ['display_errors' => '0', 'log_errors' => '1', 'error_log' => $log]);
        self::assertSame([0, 1, 1], array_map(static fn (): int => (int) $process->readLine(), [1, 2, 3]));
        $text = 'RedLock\LockManager::synchronized(): a ttl of 10 means milliseconds, not seconds, in Command line code:';
        self::assertStringContainsString($text, (string) file_get_contents($log));
    }

    public function testADurationIsTakenWherePhpHasIt(): void
    {
        $locks = self::locks();
        if (!class_exists('Time\Duration')) {
            $error = self::caught(\TypeError::class, static fn () => $locks->acquire('r', new \stdClass()));
            self::assertStringContainsString('Argument #2 ($ttl) must be of type int, stdClass given', $error->getMessage());
            $error = self::caught(\TypeError::class, static fn () => $locks->acquire('r', 1_000, new \stdClass()));
            self::assertStringContainsString('Argument #3 ($wait) must be of type ?int, stdClass given', $error->getMessage());
            return;
        }
        $lease = $locks->acquire('r', \Time\Duration::fromSeconds(10), \Time\Duration::fromMilliseconds(0));
        self::assertNotNull($lease);
        self::assertEqualsWithDelta(9_900.0, $lease->remaining(), 2_000.0);
        self::assertTrue($lease->extend(\Time\Duration::fromMinutes(1)));
        self::assertGreaterThan(50_000.0, $lease->remaining());
        self::assertTrue($lease->shorten(\Time\Duration::fromNanoseconds(4_999_000_001)));
        self::assertLessThan(5_000.0, $lease->remaining());
        self::assertNull($locks->acquire('r', 1_000, \Time\Duration::fromMilliseconds(50)));
        $error = self::caught(\ValueError::class, static fn () => $locks->acquire('r', 1_000, \Time\Duration::fromSeconds(1)->negate()));
        self::assertStringContainsString('Argument #3 ($wait) must be greater than or equal to 0', $error->getMessage());
        self::assertSame('ran', $locks->synchronized('s', static fn () => 'ran', \Time\Duration::fromSeconds(1), \Time\Duration::fromSeconds(1)));
    }

    public function testServersAreTakenInAStringWithCommas(): void
    {
        $names = array_map(static fn ($server): string => $server->name(), array_slice(self::$fleet->servers, 0, 3));
        $lease = (new LockManager(implode(',', $names)))->acquire('r', 10_000);
        self::assertNotNull($lease);
        self::assertSame(3, self::votes($lease));
        self::assertTrue($lease->release());
        $redLock = new \RedLock(' ' . implode(' , ', $names) . ' ');
        $lock = $redLock->lock('r', 10_000);
        self::assertIsArray($lock);
        self::assertTrue($redLock->unlock($lock));
        foreach ([LockManager::class, \RedLock::class] as $class) {
            $error = self::caught(\ValueError::class, static fn () => new $class("$names[0],redis://h:99999"));
            self::assertStringContainsString('must contain valid servers: server 2: ', $error->getMessage());
            $error = self::caught(\ValueError::class, static fn () => new $class("$names[0],$names[0]"));
            self::assertStringContainsString('must name distinct servers', $error->getMessage());
        }
    }
}
