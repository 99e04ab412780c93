<?php

/** docs/operations.md: no call takes longer than its formula says, and a lock is as many commands as are told. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use PidLock;
use RedLock;
use RedLock\Harness\Fleet;
use RedLock\Tests\Support\Document;
use RedLock\Tests\Support\ServerTestCase;

final class TimeoutsTest extends ServerTestCase
{
    private const TIMEOUT = 0.1;
    private const ATTEMPTS = 3;
    private const PAUSE = 0.2;
    /** A busy machine may take so many times as long; bin/bench judges the formula strictly. */
    private const LENIENCE = 10;

    /** The seconds that the table allows for a call. */
    private static function allowed(string $call): float
    {
        $formula = (new Document('docs/operations.md'))->table('Timeouts')[$call][0];
        $values = [
            'retryCount' => self::ATTEMPTS, 'retryDelay' => self::PAUSE, 'timeout' => self::TIMEOUT, 'connectTimeout' => self::TIMEOUT,
            'retry_times' => self::ATTEMPTS - 1, 'sleep_time' => self::PAUSE,
        ];
        return eval('return ' . strtr($formula, array_map(strval(...), $values)) . ';');
    }

    /** @return array{Fleet, array<string, callable>} stopped servers, and the calls of the table on them */
    private function calls(): array
    {
        $fleet = $this->fleet(3);
        $redLock = new RedLock($fleet->specs(null, self::TIMEOUT), (int) (self::PAUSE * 1000), self::ATTEMPTS);
        $pidLock = new PidLock($fleet->specs(null, self::TIMEOUT)[0]);
        $lock = self::held($redLock, 'r', 600_000);
        self::assertSame(1, $pidLock->getPidLock('held', 600));
        foreach ($fleet->servers as $server) {
            $server->stop();
        }
        return [$fleet, [
            'lock()' => [static fn () => $redLock->lock('other', 60_000)],
            'unlock(), extend(), isHeld()' => [
                static fn () => $redLock->extend($lock, 600_000),
                static fn () => $redLock->isHeld($lock),
                static fn () => $redLock->unlock($lock),
            ],
            'getPidLock()' => [static fn () => $pidLock->getPidLock('other', 60, self::PAUSE, self::ATTEMPTS - 1)],
            'releasePidLock(), holdsPidLock()' => [
                static fn () => $pidLock->holdsPidLock('held'),
                static fn () => $pidLock->releasePidLock('held'),
            ],
        ]];
    }

    public function testNoCallTakesLongerThanItsFormulaWhenAllServersAreStopped(): void
    {
        [, $calls] = $this->calls();
        $rows = array_keys((new Document('docs/operations.md'))->table('Timeouts'));
        self::assertSame(array_keys($calls), $rows);
        foreach ($calls as $row => $callables) {
            foreach ($callables as $call) {
                $seconds = self::secondsOf($call);
                self::assertGreaterThan(self::TIMEOUT / 2, $seconds, "$row did not wait at all");
                self::assertLessThan(self::allowed($row) * self::LENIENCE, $seconds, $row);
            }
        }
    }

    public function testTheLongestLockWithTheDefaultsIsWhatTheFormulaGives(): void
    {
        $section = (new Document('docs/operations.md'))->section('Timeouts');
        self::assertSame(1, preg_match('~With the defaults `lock\(\)` takes at most (\d+) ms: a second, 3 timeouts of 250 ms\s~', $section, $said));
        $formula = (new Document('docs/operations.md'))->table('Timeouts')['lock()'][0];
        $parameters = (new \ReflectionMethod('RedLock', '__construct'))->getParameters();
        $values = ['timeout' => '250', 'connectTimeout' => '1000'];
        foreach ($parameters as $parameter) {
            if (in_array($parameter->name, ['retryDelay', 'retryCount'], true)) {
                $values[$parameter->name] = (string) $parameter->getDefaultValue();
            }
        }
        self::assertSame((int) $said[1], eval('return ' . strtr($formula, $values) . ';'));
    }

    public function testTheCostOfAStoppedServerIsTheOneThatWasMeasured(): void
    {
        $section = (new Document('docs/operations.md'))->section('Timeouts');
        self::assertSame(1, preg_match('~calls took ([\d.]+) times as\slong~', $section, $said));
        $measured = (new Document('docs/bench/README.md'))->table('Measurements');
        self::assertSame($measured['one of five stopped: lock p99 / healthy lock p99'][1], $said[1]);
    }

    public function testAnUncontendedLockIsTwoCommandsAndFiveInTheStatistics(): void
    {
        $section = (new Document('docs/operations.md'))->section('What you can watch');
        self::assertStringContainsString("are two commands per server: `SET`, and\n  `EVAL` or `EVALSHA`", $section);
        self::assertStringContainsString('The statistics show five, because they also count the `GET`, the `DEL` and the `EXISTS`', $section);
        $fleet = $this->fleet(1);
        $redLock = new RedLock($fleet->specs());
        $lock = self::held($redLock, 'r');
        self::assertSame([1, 1], [$fleet->calls('eval'), $fleet->calls('set')]);
        self::assertTrue($redLock->unlock($lock));
        $fleet->reset();
        self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
        foreach (['set', 'evalsha', 'get', 'del', 'exists'] as $command) {
            self::assertSame(1, $fleet->calls($command), $command);
        }
    }

    public function testARefusedLockOfMoreThanOneAttemptSendsOnePttlMore(): void
    {
        $section = (new Document('docs/operations.md'))->section('What you can watch');
        self::assertStringContainsString('refused after more than one attempt sends one `PTTL` to each server', $section);
        $fleet = $this->fleet(1);
        self::held(new RedLock($fleet->specs(null, 5.0)), 'r', 600_000);
        foreach ([1 => 0, 2 => 1] as $attempts => $looks) {
            self::assertFalse((new RedLock($fleet->specs(null, 5.0), 0, $attempts))->lock('r', 60_000));
            self::assertSame($looks, $fleet->calls('pttl'), "$attempts attempts");
        }
    }
}
