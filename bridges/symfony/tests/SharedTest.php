<?php

/** Keys that read hold a lock together; a key that writes holds it alone. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\Symfony\RedLockStore;
use Symfony\Component\Lock\BlockingSharedLockStoreInterface;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;

final class SharedTest extends StoreTestCase
{
    private const WRITER = '
        $key = new Symfony\Component\Lock\Key("r");
        report("waiting");
        $store->waitAndSave($key);
        report("writes");
        fgets(STDIN);
        $store->delete($key);
    ';
    private const READER = '
        $key = new Symfony\Component\Lock\Key("r");
        report("waiting");
        $store->waitAndSaveRead($key);
        report("reads");
    ';

    private static function read(RedLockStore $store): Key
    {
        $key = new Key('r');
        $store->saveRead($key);
        return $key;
    }

    private static function assertConflict(callable $call): void
    {
        try {
            $call();
        } catch (LockConflictedException) {
            return;
        }
        self::fail('there is no conflict');
    }

    /** @param array<int, Key> $expected the keys that exist, of all @param array<int, Key> $all */
    private static function assertExist(RedLockStore $store, array $expected, array $all): void
    {
        self::assertSame(array_keys($expected), array_keys(array_filter($all, $store->exists(...))));
    }

    public function testTheStoreSaysThatItCanShare(): void
    {
        self::assertInstanceOf(BlockingSharedLockStoreInterface::class, self::store());
    }

    public function testReadersAreTogetherAndAWriterComesInOnceAllAreGone(): void
    {
        $store = self::store();
        $all = [self::read($store), self::read($store), new Key('r')];
        self::assertExist($store, [0 => 1, 1 => 1], $all);
        self::assertConflict(fn () => $store->save($all[2]));
        self::assertExist($store, [0 => 1, 1 => 1], $all);
        $store->delete($all[0]);
        self::assertExist($store, [1 => 1], $all);
        self::assertConflict(fn () => $store->save($all[2]));
        $store->delete($all[1]);
        self::assertExist($store, [], $all);
        $store->save($all[2]);
        self::assertExist($store, [2 => 1], $all);
        $store->delete($all[2]);
        self::assertExist($store, [], $all);
    }

    public function testAReaderDoesNotComeInBesideAWriter(): void
    {
        $store = self::store();
        $writer = self::saved($store);
        $reader = new Key('r');
        self::assertConflict(fn () => $store->saveRead($reader));
        self::assertTrue($store->exists($writer));
        self::assertFalse($store->exists($reader));
        $store->delete($writer);
        $store->saveRead($reader);
        self::assertTrue($store->exists($reader));
    }

    public function testAReaderThatIsNotAloneIsNotPromotedAndGoesOnReading(): void
    {
        $store = self::store();
        [$one, $two] = [self::read($store), self::read($store)];
        self::assertConflict(fn () => $store->save($one));
        self::assertTrue($store->exists($one));
        self::assertTrue($store->exists($two));
        $third = self::read($store);
        self::assertTrue($store->exists($third));
    }

    public function testTheOnlyReaderIsPromotedAndNobodyComesInBetween(): void
    {
        $store = self::store();
        $one = self::read($store);
        $store->save($one);
        self::assertConflict(fn () => self::read($store));
        self::assertTrue($store->exists($one));
        $store->delete($one);
        self::assertTrue($store->exists(self::read($store)));
    }

    public function testAWriterThatIsReadAgainIsDemoted(): void
    {
        $store = self::store();
        $one = self::saved($store);
        $store->saveRead($one);
        $two = self::read($store);
        self::assertTrue($store->exists($one));
        self::assertTrue($store->exists($two));
        self::assertConflict(fn () => $store->save(new Key('r')));
    }

    public function testReadTwiceItIsOneLock(): void
    {
        $store = self::store();
        $one = self::read($store);
        $store->saveRead($one);
        $store->delete($one);
        self::assertTrue($store->exists(self::saved($store)));
    }

    public function testAReaderIsProlongedByPutOffExpirationAndNoOtherReaderIs(): void
    {
        $store = self::store(5.0);
        [$one, $two] = [self::read($store), self::read($store)];
        $one->resetLifetime();
        $store->putOffExpiration($one, 60.0);
        self::assertGreaterThan(50.0, $one->getRemainingLifetime());
        self::assertLessThan(5.1, $two->getRemainingLifetime());
        self::assertGreaterThan(50_000, min(self::ttls()));
    }

    public function testAKeyThatReadsCanBeSentToAnotherProcess(): void
    {
        $key = self::read(self::store());
        $other = $this->process(
            '$key = unserialize($args["key"]); report($store->exists($key)); $store->delete($key); report("deleted");',
            ['key' => serialize($key)],
        );
        self::assertTrue(PhpProcess::report($other));
        self::assertSame('deleted', PhpProcess::report($other));
        self::saved(self::store());
    }

    public function testAReaderAndALeaseExcludeAWriter(): void
    {
        $store = self::store();
        $key = self::read($store);
        $lease = (new LockManager(self::$fleet->specs(3)))->acquireShared('r');
        self::assertTrue($lease?->isLive());
        self::assertConflict(fn () => $store->save($key));
        $lease->release();
        $store->save($key);
        self::assertTrue($store->exists($key));
    }

    public function testAWaitingWriterGetsInOnceTheReaderGoesAndReadersWaitBehindHim(): void
    {
        $store = self::store();
        $key = self::read($store);
        $writer = $this->process(self::WRITER);
        self::assertSame('waiting', PhpProcess::report($writer));
        $this->awaitLine(1);
        self::assertConflict(fn () => self::read($store));
        $reader = $this->process(self::READER);
        self::assertSame('waiting', PhpProcess::report($reader));
        $this->awaitLine(2);
        $store->delete($key);
        self::assertSame('writes', PhpProcess::report($writer));
        $this->awaitLine(1);
        $writer->writeLine('go');
        self::assertSame('reads', PhpProcess::report($reader));
    }

    public function testAReaderThatWaitsToWriteIsPromotedOnceTheOthersAreGone(): void
    {
        $store = self::store(2.0);
        $key = self::read($store);
        $promoted = $this->process('
            $key = new Symfony\Component\Lock\Key("r");
            $store->saveRead($key);
            report("reads");
            $key->resetLifetime();
            $store->waitAndSave($key);
            report("writes");
        ', initialTtl: 2.0);
        self::assertSame('reads', PhpProcess::report($promoted));
        // Longer than its own ttl, for which it must have been kept meanwhile.
        $until = Wait::now() + 2.5;
        Wait::until(function () use ($store, $key, $until): bool {
            $key->resetLifetime();
            $store->putOffExpiration($key, 2.0);
            return Wait::now() > $until;
        }, 'time to pass');
        $store->delete($key);
        self::assertSame('writes', PhpProcess::report($promoted));
    }

    private function awaitLine(int $length): void
    {
        $waits = static fn (): array => self::$fleet->each(static fn ($client): int => $client->call('ZCARD', 'r:redlock:line'), 3);
        Wait::until(static fn (): bool => $waits() === array_fill(0, 3, $length), "$length to stand in line");
    }
}
