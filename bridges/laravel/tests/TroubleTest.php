<?php

/** Servers that are down: a minority is not noticed, and without a majority there is an exception, never an answer. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use Illuminate\Contracts\Cache\Lock;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\Fleet;
use RedLock\Harness\Wait;
use RedLock\Laravel\RedLockStore;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class TroubleTest extends ServerTestCase
{
    private Fleet $servers;
    private RedLockStore $store;

    protected function setUp(): void
    {
        $this->servers = $this->fleet(3);
        $this->store = new RedLockStore(new LockManager($this->servers->specs(), ['keepAliveMax' => 86_400_000]));
    }

    public function testAServerThatIsDownIsNotNoticed(): void
    {
        $this->down(1);
        $lock = $this->store->lock('r', 10);
        self::assertTrue($lock->get());
        self::assertTrue($lock->isOwnedByCurrentProcess());
        self::assertTrue($lock->refresh());
        self::assertTrue($this->store->restoreLock('r', $lock->owner())->release());
        self::assertFalse($lock->isLocked());
    }

    /** @param \Closure(Lock): mixed $call */
    #[DataProvider('calls')]
    public function testWithoutAMajorityNothingIsAnswered(\Closure $call): void
    {
        $lock = $this->store->lock('r', 10);
        self::assertTrue($lock->get());
        $this->down(2);
        self::caught(QuorumException::class, static fn () => $call($lock));
        $restored = $this->store->restoreLock('r', $lock->owner());
        self::caught(QuorumException::class, static fn () => $call($restored));
    }

    /** @return iterable<string, array{\Closure(Lock): mixed}> */
    public static function calls(): iterable
    {
        yield 'get' => [static fn (Lock $lock) => $lock->get()];
        yield 'block' => [static fn (Lock $lock) => $lock->block(0)];
        yield 'release' => [static fn (Lock $lock) => $lock->release()];
        yield 'forceRelease' => [static fn (Lock $lock) => $lock->forceRelease()];
        yield 'refresh' => [static fn (Lock $lock) => $lock->refresh(20)];
        yield 'isLocked' => [static fn (Lock $lock) => $lock->isLocked()];
        yield 'isOwnedBy' => [static fn (Lock $lock) => $lock->isOwnedBy('somebody')];
    }

    /** @param \Closure(RedLockStore, Lock): mixed $call what is true when it has come to pass */
    #[DataProvider('callsThatServersAnswerTooLate')]
    public function testServersThatAnswerTooLateAreNotTakenForOnesThatSayNo(\Closure $call): void
    {
        $store = new RedLockStore(new LockManager($this->servers->specs(null, 0.2)));
        $lock = $store->lock('r', 60);
        self::assertTrue($lock->get());
        $this->servers->standStill(2, 0.35);
        try {
            self::assertTrue($call($store, $lock));
        } catch (QuorumException) {
            // Where they were late a second time.
        }
    }

    /** @return iterable<string, array{\Closure(RedLockStore, Lock): mixed}> */
    public static function callsThatServersAnswerTooLate(): iterable
    {
        yield 'release' => [static fn (RedLockStore $store, Lock $lock) => $lock->release()];
        yield 'release of a restored lock' => [static fn (RedLockStore $store, Lock $lock) => $store->restoreLock('r', $lock->owner())->release()];
        yield 'refresh of a restored lock' => [static fn (RedLockStore $store, Lock $lock) => $store->restoreLock('r', $lock->owner())->refresh(100)];
    }

    /** @param \Closure(RedLockStore, Lock): mixed $call */
    #[DataProvider('callsThatAskWhoseItIs')]
    public function testWhereAServersSilenceLeavesItOpenNothingIsAnswered(\Closure $call): void
    {
        $lock = $this->store->lock('r', 60);
        self::assertTrue($lock->get());
        $this->servers->leaveUndecided('r');
        self::caught(QuorumException::class, fn () => $call($this->store, $lock));
    }

    /** @param \Closure(RedLockStore, Lock): mixed $call what is true when it has come to pass */
    #[DataProvider('callsThatAskWhoseItIs')]
    public function testAServerWhoseSilenceLeavesItOpenIsAskedAgain(\Closure $call): void
    {
        $store = new RedLockStore(new LockManager($this->servers->specs(null, 0.5)));
        $lock = $store->lock('r', 60);
        self::assertTrue($lock->get());
        $this->servers->leaveUndecided('r', 0.65);
        self::assertTrue($call($store, $lock));
    }

    /** @param \Closure(RedLockStore, Lock): mixed $call */
    #[DataProvider('callsThatAskWhoseItIs')]
    public function testALockThatChangesHandsBesideAServerThatIsDownHasTimeForThat(\Closure $call): void
    {
        $lock = $this->store->lock('r', 60);
        self::assertTrue($lock->get());
        $this->servers->lose('r', 1, 1);
        self::assertGreaterThan(0.025, self::secondsOf(fn () => self::caught(QuorumException::class, fn () => $call($this->store, $lock))));
    }

    /** @return iterable<string, array{\Closure(RedLockStore, Lock): mixed}> */
    public static function callsThatAskWhoseItIs(): iterable
    {
        yield 'isLocked' => [static fn (RedLockStore $store, Lock $lock) => $lock->isLocked()];
        yield 'isOwnedBy' => [static fn (RedLockStore $store, Lock $lock) => $lock->isOwnedByCurrentProcess()];
        yield 'refresh' => [static fn (RedLockStore $store, Lock $lock) => $lock->refresh(100)];
        yield 'refresh of a restored lock' => [static fn (RedLockStore $store, Lock $lock) => $store->restoreLock('r', $lock->owner())->refresh(100)];
        yield 'release of a restored lock' => [static fn (RedLockStore $store, Lock $lock) => $store->restoreLock('r', $lock->owner())->release()];
    }

    /** @param \Closure(Fleet): mixed $lose */
    #[DataProvider('waysToLoseIt')]
    public function testALockThatAMajorityDoesNotHaveIsNotReleased(\Closure $lose): void
    {
        $lock = $this->store->lock('r', 60);
        self::assertTrue($lock->get());
        $lose($this->servers);
        self::assertFalse($lock->release());
    }

    /** @param \Closure(Fleet): mixed $lose */
    #[DataProvider('waysToLoseIt')]
    public function testALockThatAMajorityDoesNotHaveIsNotRefreshed(\Closure $lose): void
    {
        $lock = $this->store->lock('r', 60);
        self::assertTrue($lock->get());
        $lose($this->servers);
        self::assertFalse($lock->refresh());
    }

    /** @return iterable<string, array{\Closure(Fleet): mixed}> */
    public static function waysToLoseIt(): iterable
    {
        $gone = static fn (Fleet $fleet) => $fleet->each(static fn ($client) => $client->call('DEL', 'r'));
        yield 'with all servers up' => [$gone];
        yield 'beside one that is down' => [static fn (Fleet $fleet) => [$gone($fleet), $fleet->servers[0]->kill9()]];
        yield 'beside one that is silent' => [static fn (Fleet $fleet) => [$gone($fleet), $fleet->servers[2]->stop()]];
    }

    public function testWhatMayBeHeldIsReleasedByForce(): void
    {
        self::assertTrue($this->store->lock('r', 60)->get());
        $this->servers->leaveUndecided('r');
        $this->store->lock('r', 60)->forceRelease();
        self::assertSame([null, null], $this->servers->values('r', 2));
        self::assertTrue($this->store->lock('r', 60)->get());
    }

    public function testAForcedReleaseIsTriedAgainBeforeItHasFailed(): void
    {
        $acl = fn (string $rule): string => $this->servers->servers[0]->client()->call('ACL', 'SETUSER', 'default', $rule);
        $store = new RedLockStore(new LockManager($this->servers->specs(null, 0.5)));
        self::assertTrue($store->lock('r', 60)->get());
        $this->servers->leaveUndecided('r', 0.65);
        $acl('-del');
        $store->lock('r', 60)->forceRelease();
        self::assertSame([null, null], array_slice($this->servers->values('r'), 1));
        $acl('+del');
        self::assertTrue($store->lock('s', 60)->get());
        $this->servers->leaveUndecided('s');
        $acl('-del');
        self::caught(QuorumException::class, static fn () => $store->lock('s', 60)->forceRelease());
    }

    public function testAnOutageThatARefreshMetDoesNotEndTheKeepAlive(): void
    {
        $store = new RedLockStore(new LockManager($this->servers->specs(null, 0.1)), forever: 2);
        $lock = $store->lock('r', 0);
        self::assertTrue($lock->get());
        $this->servers->standStill(2, 0.5);
        self::caught(QuorumException::class, static fn () => $lock->refresh());
        $end = Wait::now() + 4.0;
        // With nobody to keep it alive it ends after two seconds.
        Wait::until(static fn (): bool => Wait::now() > $end, 'two lives of the lock');
        self::assertTrue($lock->isOwnedByCurrentProcess());
    }

    private function down(int $count): void
    {
        foreach (array_slice($this->servers->servers, 0, $count) as $server) {
            $server->kill9();
        }
    }
}
