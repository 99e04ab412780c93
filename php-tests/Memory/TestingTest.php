<?php

/** Locks on servers of memory://, and what Testing does to them: what a user's own tests lean on. */

declare(strict_types=1);

namespace RedLock\Tests\Memory;

use PidLock;
use RedLock;
use RedLock\LeaseInterface;
use RedLock\LockManager;
use RedLock\LockManagerInterface;
use RedLock\QuorumException;
use RedLock\Testing;
use RedLock\Tests\Support\ServerTestCase;

final class TestingTest extends ServerTestCase
{
    private const SERVERS = ['memory://a', 'memory://b', 'memory://c'];

    protected function setUp(): void
    {
        Testing::reset();
    }

    protected function tearDown(): void
    {
        Testing::reset();
        parent::tearDown();
    }

    public function testOneHasTheLockUntilItIsGivenBack(): void
    {
        $lease = (new LockManager('memory://'))->acquire('r', 60_000);
        self::assertInstanceOf(LeaseInterface::class, $lease);
        $other = new LockManager('memory://');
        self::assertNull($other->acquire('r'));
        self::assertTrue($lease->release());
        self::assertNotNull($other->acquire('r'));
    }

    public function testServersWithDifferentNamesAreDifferentServers(): void
    {
        $lease = (new LockManager('memory://a'))->acquire('r');
        $other = (new LockManager('memory://b'))->acquire('r');
        self::assertNotNull($lease);
        self::assertNotNull($other);
    }

    public function testAllClassesExcludeEachOther(): void
    {
        $lock = (new RedLock(self::SERVERS, 0, 1))->lock('r', 60_000);
        self::assertIsArray($lock);
        self::assertNull((new LockManager(self::SERVERS))->acquire('r'));
        $pidLock = new PidLock('memory://p');
        self::assertSame(1, $pidLock->getPidLock('job', 60));
        self::assertSame(0, (new PidLock('memory://p'))->getPidLock('job', 60));
        self::assertTrue($pidLock->holdsPidLock('job'));
    }

    public function testALeaseIsOverWhereTheClockOfAMajorityRanPastItsTtl(): void
    {
        $locks = new LockManager(self::SERVERS);
        $lease = $locks->acquire('r', 60_000);
        Testing::advance(59_000, 'memory://a', 'memory://b');
        self::assertTrue($lease->confirm());
        Testing::advance(1_001, 'memory://a', 'memory://b');
        self::assertFalse($lease->confirm());
    }

    public function testALeaseThatGoesOutOfScopeBehindAResetIsGivenBack(): void
    {
        $locks = new LockManager('memory://');
        for ($test = 1; $test <= 3; $test++) {
            Testing::reset();
            $lease = $locks->acquire('r');
            unset($lease);
            self::assertSame([], Testing::keys(), "in test $test");
        }
    }

    public function testANameIsAnyWord(): void
    {
        $locks = new LockManager(['memory://ü', 'memory://A', 'memory://a']);
        self::assertSame(['memory://ü', 'memory://A', 'memory://a'], array_keys($locks->inspect('r')['servers']));
    }

    public function testNamesThatAreManyAndNoAsciiAreShownInPhpinfo(): void
    {
        $servers = array_map(fn (int $i): string => 'memory://' . str_repeat('ü', 20) . $i, range(1, 12));
        $lease = (new LockManager($servers))->acquire('r');
        ob_start();
        phpinfo(INFO_MODULES);
        preg_match('~^Servers in this process => (.*)$~m', (string) ob_get_clean(), $shown);
        self::assertMatchesRegularExpression('~^memory://[ -\~]*\\\\xc3\\\\xbc[ -\~]*\.\.\. \(for tests: [a-z ]+\)$~', $shown[1] ?? '');
    }

    public function testAHolderThatWasOvertakenHasTheSmallerFenceAndTheServersForgetTheLastOneInADay(): void
    {
        $locks = new LockManager(self::SERVERS);
        $slow = $locks->acquire('r', 60_000, options: ['fence' => true]);
        Testing::advance(60_001);
        $fast = $locks->acquire('r', 60_000, options: ['fence' => true]);
        self::assertLessThan($fast->fence, $slow->fence);
        self::assertTrue($fast->release());
        self::assertSame(['r:redlock:fence'], Testing::keys());
        Testing::advance(86_400_001);
        self::assertSame([], Testing::keys());
        self::assertGreaterThan($fast->fence, $locks->acquire('r', options: ['fence' => true])?->fence);
    }

    public function testAConfigurationOfARealServerNeedsAnotherUrlOnly(): void
    {
        $server = ['url' => 'memory://', 'host' => '127.0.0.1', 'port' => '6379', 'username' => null, 'password' => null, 'database' => '0'];
        self::assertSame(['memory://'], array_keys((new LockManager([$server]))->inspect('r')['servers']));
    }

    public function testALockThatIsTakenAwayIsLostAndFree(): void
    {
        $locks = new LockManager(self::SERVERS);
        $lease = $locks->acquire(7, 60_000);
        Testing::takeAway(7);
        self::assertFalse($lease->confirm());
        self::assertNotNull($locks->acquire('7'));
    }

    public function testServersThatAreDownAreToldAndCanBeRestored(): void
    {
        $locks = new LockManager(self::SERVERS);
        Testing::refuse('memory://c');
        $lease = $locks->acquire('one down');
        self::assertNotNull($lease);
        Testing::refuse();
        try {
            $none = $locks->acquire('all down');
            self::fail('locked on servers that are down');
        } catch (QuorumException $outage) {
            self::assertSame(self::SERVERS, array_keys($outage->faults()));
            self::assertSame('refused', $outage->faults()['memory://a']);
        }
        Testing::restore();
        self::assertNotNull($locks->acquire('back again'));
    }

    public function testServersThatAreBackAnswerAtOnce(): void
    {
        $locks = new LockManager(self::SERVERS);
        foreach (['restore', 'reset'] as $back) {
            $lease = $locks->acquire('r');
            Testing::refuse();
            Testing::$back();
            self::assertNotNull($next = $locks->acquire('next'), $back);
        }
    }

    public function testSilentServersCostTheirTimeout(): void
    {
        $locks = new LockManager(self::SERVERS, ['timeout' => 0.05]);
        Testing::silence();
        $began = hrtime(true);
        try {
            $none = $locks->acquire('r');
            self::fail('locked on servers that answer nothing');
        } catch (QuorumException $outage) {
            self::assertStringContainsString('timeout', $outage->getMessage());
        }
        self::assertGreaterThan(50e6, hrtime(true) - $began);
    }

    public function testItsKeysAreTheLocksThatAreHeld(): void
    {
        $lease = (new LockManager(self::SERVERS))->acquire('r', 60_000);
        self::assertSame(1, (new PidLock('memory://p'))->getPidLock('job', 60));
        self::assertSame(['r'], Testing::keys(...self::SERVERS));
        self::assertSame(['lock_pid:job', 'r'], Testing::keys());
        self::assertTrue($lease->release());
        Testing::advance(70_000, 'memory://p');
        self::assertSame([], Testing::keys());
    }

    public function testServersThatForgetHaveNoLocks(): void
    {
        $locks = new LockManager(self::SERVERS);
        $lease = $locks->acquire('r', 60_000);
        Testing::forget();
        self::assertFalse($lease->confirm());
    }

    /** @return iterable<string, array{callable(): mixed, class-string<\Throwable>, string}> */
    public static function mistakes(): iterable
    {
        yield 'a real server' => [static fn () => Testing::refuse('127.0.0.1:6379'), \ValueError::class, 'memory://'];
        yield 'no server' => [static fn () => Testing::silence('memory://a', ':'), \ValueError::class, 'must be a valid server'];
        yield 'a number' => [static fn () => Testing::forget(1.5), \TypeError::class, 'must be of type string, float given'];
        yield 'time runs back' => [static fn () => Testing::advance(-1), \ValueError::class, 'between 0 and'];
        yield 'mixed with real servers' => [static fn () => new LockManager(['memory://a', '127.0.0.1', '127.0.0.2']), \ValueError::class, 'in memory'];
        yield 'a password' => [static fn () => new RedLock(['memory://:secret@a']), \ValueError::class, 'has no password'];
        yield 'TLS' => [static fn () => new RedLock([['host' => 'memory://a', 'ssl' => ['verify_peer_name' => false]]]), \ValueError::class, 'without TLS'];
    }

    /**
     * @dataProvider mistakes
     * @param callable(): mixed $call
     * @param class-string<\Throwable> $error
     */
    public function testAMistakeIsATypedError(callable $call, string $error, string $words): void
    {
        $this->expectException($error);
        $this->expectExceptionMessage($words);
        $call();
    }

    public function testTheInterfacesCanBeDoubled(): void
    {
        $lease = $this->createMock(LeaseInterface::class);
        $lease->expects(self::once())->method('release')->willReturn(true);
        $locks = $this->createMock(LockManagerInterface::class);
        $locks->method('acquire')->willReturn($lease);
        self::assertTrue($locks->acquire('r')?->release());
    }

    public function testAtTheEndOfTheRequestAllIsUndone(): void
    {
        $web = $this->web('
            $locks = new RedLock\LockManager("memory://");
            if ($_GET["do"] === "take") {
                $handle = $locks->acquire("r", 60000)->detach();
                echo json_encode($locks->owner("r") !== null);
                RedLock\Testing::refuse();
            } else {
                echo json_encode($locks->owner("r"));
            }
        ');
        self::assertSame('true', $web->get('do=take'));
        self::assertSame('null', $web->get('do=look'));
    }
}
