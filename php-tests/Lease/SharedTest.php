<?php

/** Locks for reading: all readers hold one together, and a writer alone. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock;
use RedLock\DeadlockException;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Lease;
use RedLock\LockManager;
use RedLock\Tests\Support\LeaseTestCase;

final class SharedTest extends LeaseTestCase
{
    private const AGAIN = ['reentrant' => true];

    /** @param array<string, mixed> $options */
    private static function read(LockManager $locks, int $ttl = 10_000, array $options = []): Lease
    {
        $lease = $locks->acquireShared('r', $ttl, 0, $options);
        self::assertInstanceOf(Lease::class, $lease, "'r' could not be read");
        return $lease;
    }

    /** What is released without waiting for an answer is so soon. */
    private static function assertFree(): void
    {
        $free = static fn (): bool => self::locks()->acquire('r')?->release() ?? false;
        self::assertTrue(Wait::until($free, "'r' to be free", 3.0));
    }

    /** @dataProvider fleetSizes */
    public function testReadersHoldItTogetherAndAWriterComesInOnceAllAreGone(int $servers): void
    {
        $readers = array_map(static fn (): Lease => self::read(self::locks($servers)), range(1, 5));
        self::assertCount(5, array_unique(array_column(array_map(static fn (Lease $one): array => $one->handle(), $readers), 'token')));
        foreach ($readers as $reader) {
            self::assertTrue($reader->confirm());
            self::assertNull(self::locks($servers)->acquire('r'));
            self::assertTrue($reader->release());
            self::assertFalse($reader->isLive());
        }
        self::assertTrue(self::leased(self::locks($servers))->confirm());
    }

    public function testAWriterKeepsReadersOut(): void
    {
        $writer = self::leased(self::locks());
        self::assertNull(self::locks()->acquireShared('r'));
        self::assertTrue($writer->confirm());
        $writer->release();
        self::read(self::locks());
    }

    public function testAReaderThatIsRefusedLeavesTheWritersLockAlone(): void
    {
        $writer = self::leased(self::locks());
        self::assertNull(self::locks()->acquireShared('r'));
        self::assertSame(3, self::votes($writer));
        self::assertTrue($writer->release());
        self::assertReleased();
    }

    public function testAWriterThatIsRefusedLeavesTheReadersAlone(): void
    {
        $readers = [self::read(self::locks()), self::read(self::locks())];
        self::assertNull(self::locks()->acquire('r'));
        foreach ($readers as $reader) {
            self::assertTrue($reader->release());
        }
    }

    /** @group real */
    public function testAClientThatKnowsOnlySetNxIsRefusedAndItsReleaseDeletesNothing(): void
    {
        $reader = self::read(self::locks());
        $client = self::$fleet->servers[0]->client();
        self::assertNull($client->call('SET', 'r', 'mine', 'NX', 'PX', '10000'));
        $stands = $client->call('GET', 'r');
        self::assertNotContains($stands, [null, $reader->token]);
        self::assertGreaterThan(0, $client->call('PTTL', 'r'));
        self::assertFalse((new RedLock(self::$fleet->specs(3), 0, 1))->lock('r', 10_000));
        self::assertFalse((new RedLock(self::$fleet->specs(3)))->unlock(['validity' => 1.0, 'resource' => 'r', 'token' => 'mine']));
        self::assertSame($stands, $client->call('GET', 'r'));
        self::assertTrue($reader->confirm());
    }

    /** @group real */
    public function testACompareAndDeleteOfOldClientsFindsNothingOfReaders(): void
    {
        $reader = self::read(self::locks());
        $script = 'if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end';
        $deleted = static fn (string $token): array
            => self::$fleet->each(static fn ($client): int => $client->call('EVAL', $script, '1', 'r', $token), 3);
        self::assertSame([0, 0, 0], $deleted($reader->token));
        self::assertSame([0, 0, 0], $deleted('mine'));
        self::assertTrue($reader->confirm());
    }

    public function testTheMarkLastsAsLongAsTheLastReader(): void
    {
        $long = self::read(self::locks(), 30_000);
        $short = self::read(self::locks(), 1_000);
        $left = static fn (): int => self::$fleet->servers[0]->client()->call('PTTL', 'r');
        self::assertGreaterThan(20_000, $left());
        self::assertTrue($long->release());
        self::assertLessThanOrEqual(1_000, $left());
        self::assertTrue($short->confirm());
    }

    public function testAReaderThatDiesIsInTheWayForItsTtlOnly(): void
    {
        $kept = self::read(self::locks(), 1_200);
        $kept->detach();
        self::assertNull(self::locks()->acquire('r'));
        self::assertNotNull(self::locks()->acquire('r', 10_000, 5_000));
    }

    public function testKeepingOneReaderAliveProlongsNoOther(): void
    {
        $kept = self::read(self::locks(), 900, ['keepAlive' => true]);
        $dead = self::read(self::locks(), 900)->detach();
        $redLock = new RedLock(self::$fleet->specs(3));
        self::assertTrue($redLock->isHeld($dead));
        Wait::until(static fn (): bool => !$redLock->isHeld($dead), 'the dead reader to be over', 3.0);
        $until = Wait::now() + 1.0;
        Wait::until(static fn (): bool => Wait::now() > $until, 'time to pass');
        self::assertTrue($kept->confirm());
        self::assertTrue($redLock->isHeld($kept->handle()));
        self::assertFalse($redLock->isHeld($dead));
        $kept->release();
        self::leased(self::locks());
    }

    public function testAReaderIsExtendedAndShortenedAlone(): void
    {
        $one = self::read(self::locks(), 20_000);
        $other = self::read(self::locks(), 20_000);
        self::assertTrue($one->extend(60_000));
        self::assertGreaterThan(50_000, $one->remaining());
        self::assertLessThan(20_001, $other->remaining());
        self::assertTrue($one->shorten(1_000));
        self::assertGreaterThan(1_000, self::$fleet->servers[0]->client()->call('PTTL', 'r'));
        self::assertTrue($one->confirm());
        self::assertTrue($other->confirm());
        self::assertTrue($other->release());
        self::assertTrue($one->release());
        self::assertFree();
    }

    public function testALostReaderIsTold(): void
    {
        $reader = self::read(self::locks());
        self::$fleet->each(static fn ($client) => $client->call('FLUSHALL'));
        self::assertFalse($reader->confirm());
        self::assertFalse($reader->isLive());
        self::assertSame('no majority of the servers has it', $reader->lastErrors()['lock']);
    }

    public function testTheEndOfTheScopeReleasesOneReader(): void
    {
        $other = self::read(self::locks());
        (static function (): void {
            self::assertTrue(self::read(self::locks())->isLive());
        })();
        self::assertTrue($other->confirm());
        $other->release();
        self::assertFree();
    }

    /** @group real */
    public function testTheEndOfTheRequestReleasesAndSigkillLeavesItToTheTtl(): void
    {
        $code = '
            $locks = new RedLock\LockManager($args["servers"]);
            $lease = $locks->acquireShared("r", $args["ttl"], 0, ["keepAlive" => true]);
            report($lease?->isLive());
            fgets(STDIN);';
        $ends = $this->php($code, ['servers' => self::$fleet->specs(3), 'ttl' => 60_000]);
        $killed = $this->php($code, ['servers' => self::$fleet->specs(3), 'ttl' => 1_500]);
        self::assertTrue(PhpProcess::report($ends));
        self::assertTrue(PhpProcess::report($killed));
        $killed->signal(SIGKILL);
        $killed->wait();
        $ends->writeLine('go');
        self::assertSame(0, $ends->wait());
        self::assertNotNull(self::locks()->acquire('r', 10_000, 5_000));
    }

    /** @group real */
    public function testInTheChildOfAForkItIsDeadAndStaysTheParents(): void
    {
        $told = PhpProcess::run('
            $locks = new RedLock\LockManager($args["servers"], ["timeout" => 2]);
            $lease = $locks->acquireShared("r", 10000, 0, ["keepAlive" => true]);
            [$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            if (($pid = pcntl_fork()) === 0) {
                fwrite($theirs, json_encode([$lease->isLive(), $lease->promote(), $lease->release()]) . "\n");
                exit(0);
            }
            $inChild = json_decode(fgets($ours), true);
            pcntl_waitpid($pid, $status);
            report([$inChild, $status, $lease->confirm(), $lease->promote(), $lease->release()]);
        ', ['servers' => self::$fleet->specs(3)]);
        self::assertSame([[false, false, false], 0, true, true, true], $told);
    }

    public function testItsHandleSaysThatItIsSharedAndThatOfAWriterSaysNothing(): void
    {
        $reader = self::read(self::locks());
        self::assertTrue($reader->handle()['shared']);
        $handle = $reader->detach();
        self::assertSame(['validity', 'resource', 'token', 'shared'], array_keys($handle));
        $attached = self::locks()->attach($handle);
        self::assertSame([true, $handle['token']], [$attached->handle()['shared'], $attached->token]);
        self::assertTrue($attached->confirm());
        self::assertTrue($attached->release());
        $writer = self::leased(self::locks());
        self::assertArrayNotHasKey('shared', $writer->handle());
        self::assertArrayNotHasKey('shared', self::locks()->attach(['shared' => false] + $writer->detach())->handle());
    }

    public function testRedLockReleasesExtendsAndConfirmsByItsHandle(): void
    {
        $other = self::read(self::locks());
        $handle = self::read(self::locks())->detach();
        $redLock = new RedLock(self::$fleet->specs(3));
        self::assertTrue($redLock->isHeld($handle));
        self::assertIsArray($redLock->extend($handle, 20_000));
        self::assertTrue($redLock->unlock($handle));
        self::assertFalse($redLock->isHeld($handle));
        self::assertTrue($other->confirm());
    }

    /** @dataProvider badHandles */
    public function testAHandleThatCannotBeMeantIsRefused(string $class, string $message, array $changed): void
    {
        $handle = $changed + ['validity' => 1000.0, 'resource' => 'r', 'token' => 't'];
        $this->expectException($class);
        $this->expectExceptionMessage("RedLock\\LockManager::attach(): Argument #1 (\$handle) $message");
        self::locks()->attach($handle);
    }

    /** @return iterable<string, array{string, string, array<string, mixed>}> */
    public static function badHandles(): iterable
    {
        yield 'an int' => [\TypeError::class, 'must have a bool under "shared", int given', ['shared' => 1]];
        yield 'a string' => [\TypeError::class, 'must have a bool under "shared", string given', ['shared' => 'yes']];
        yield 'null' => [\TypeError::class, 'must have a bool under "shared", null given', ['shared' => null]];
        yield 'several' => [\ValueError::class, 'must have a single resource, as it is shared', ['shared' => true, 'resource' => ['a', 'b']]];
        yield 'the mark of a shared lock' => [\ValueError::class, "must have a holder's token, not the mark of a shared lock", ['token' => 'redlock:shared']];
    }

    /** @dataProvider badArguments */
    public function testArgumentsThatCannotBeMeantAreRefused(string $class, string $message, array $arguments): void
    {
        $this->expectException($class);
        $this->expectExceptionMessage($message);
        self::locks()->acquireShared(...$arguments);
    }

    /** @return iterable<string, array{string, string, array<mixed>}> */
    public static function badArguments(): iterable
    {
        $value = \ValueError::class;
        yield 'several' => [\TypeError::class, 'Argument #1 ($resource) must be of type string|int, array given', [['a', 'b']]];
        yield 'a long name' => [$value, 'acquireShared(): Argument #1 ($resource) must be at most 65536 bytes long', [str_repeat('r', 65537)]];
        yield 'no ttl' => [$value, 'acquireShared(): Argument #2 ($ttl) must be greater than 0', ['r', 0]];
        yield 'a negative wait' => [$value, 'acquireShared(): Argument #3 ($wait) must be greater than or equal to 0', ['r', 1000, -1]];
        yield 'an option' => [$value, 'acquireShared(): Argument #4 ($options)', ['r', 1000, 0, ['shared' => true]]];
    }

    public function testReadTwiceByTheOptionReentrantItIsOneLock(): void
    {
        $locks = self::locks();
        $first = self::read($locks, 10_000, self::AGAIN);
        $second = self::read($locks, 10_000, self::AGAIN);
        self::assertSame($first->token, $second->token);
        $first->release();
        self::assertTrue($second->confirm());
        self::assertNull(self::locks()->acquire('r'));
        $second->release();
        self::leased(self::locks());
    }

    public function testReentrantCountsNoLockOfTheOtherMode(): void
    {
        $locks = self::locks();
        $reader = self::read($locks, 10_000, self::AGAIN);
        self::assertNull($locks->acquire('r', 10_000, 0, self::AGAIN));
        $reader->release();
        $writer = self::leased($locks, options: self::AGAIN);
        self::assertNull($locks->acquireShared('r', 10_000, 0, self::AGAIN));
        self::assertTrue($writer->confirm());
    }

    /** @dataProvider modes */
    public function testWaitingWithoutAnEndForWhatThisProcessHoldsInTheOtherModeIsADeadlock(string $held, string $wanted): void
    {
        $locks = self::locks();
        $lease = $locks->$held('r', 10_000);
        self::assertTrue($lease->isLive());
        $this->expectException(DeadlockException::class);
        $this->expectExceptionMessage("RedLock\\LockManager::$wanted(): the wait for 'r' would never end");
        $locks->$wanted('r', 10_000, null);
    }

    /** @return iterable<string, array{string, string}> */
    public static function modes(): iterable
    {
        yield 'a writer behind a reader' => ['acquireShared', 'acquire'];
        yield 'a reader behind a writer' => ['acquire', 'acquireShared'];
    }

    public function testWaitingWithoutAnEndToReadASecondTimeIsNone(): void
    {
        $locks = self::locks();
        $first = self::read($locks);
        self::assertTrue($locks->acquireShared('r', 10_000, null)?->isLive());
        self::assertTrue($first->isLive());
    }

    public function testEventsAndStatsAreAsForOthers(): void
    {
        $told = [];
        $locks = self::locks(3, ['onEvent' => static function (string $event) use (&$told): void {
            $told[] = $event;
        }]);
        $before = $locks->stats();
        self::read($locks)->release();
        self::leased($locks)->release();
        $held = self::leased(self::locks());
        self::assertNull($locks->acquireShared('r'));
        self::assertSame(['acquired', 'released', 'acquired', 'released', 'waited'], $told);
        $grown = array_map(static fn (int $now, int $then): int => $now - $then, array_slice($locks->stats(), 0, 2), array_slice($before, 0, 2));
        self::assertSame([3, 1], $grown);
        self::assertTrue($held->isLive());
    }

    public function testInspectCountsReadersAndForceReleaseTakesTheLockFromAll(): void
    {
        $readers = [self::read(self::locks()), self::read(self::locks(), 10_000, ['owner' => 'me'])];
        $seen = self::locks()->inspect('r');
        self::assertSame([2, 'redlock:shared', null, true], [$seen['readers'], $seen['token'], $seen['owner'], $seen['decided']]);
        self::assertSame([2, 2, 2], array_column($seen['servers'], 'readers'));
        self::assertGreaterThan(8_000.0, $seen['ttl']);
        self::assertSame('redlock:shared', self::locks()->owner('r'));
        self::assertTrue(self::locks()->forceRelease('r'));
        self::assertFalse($readers[0]->confirm());
        self::assertFalse($readers[1]->promote());
        $writer = self::leased(self::locks());
        self::assertNull(self::locks()->inspect('r')['readers']);
        self::assertTrue($writer->confirm());
    }

    public function testAReaderThatNoVariableHoldsIsWarnedOf(): void
    {
        $warned = [];
        set_error_handler(static function (int $level, string $message) use (&$warned): bool {
            $warned[] = $message;
            return true;
        });
        self::locks()->acquireShared('r');
        restore_error_handler();
        self::assertContains("RedLock\\LockManager::acquireShared(): the lock on 'r' is given back at once; assign the lease to a variable", $warned);
    }

    /** @group real */
    public function testAVoteThatADemotedLeaseLosesIsRepairedAsAReaders(): void
    {
        $lease = self::leased(new LockManager(self::$fleet->specs(3, 0.25)), ttl: 3_000, options: ['keepAlive' => true]);
        self::assertTrue($lease->demote());
        self::$fleet->servers[0]->client()->call('DEL', 'r', 'r:redlock:readers');
        Wait::until(static fn (): bool => array_filter(self::$fleet->values('r', 1)) !== [], 'the vote to be repaired');
        self::assertSame(['redlock:shared'], self::$fleet->values('r', 1));
        self::assertNotNull($other = self::locks()->acquireShared('r'));
        self::assertTrue($lease->isLive() && $other->isLive());
    }
}
