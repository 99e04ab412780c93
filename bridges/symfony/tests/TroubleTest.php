<?php

/** Servers that are down: a minority is not noticed, and without a majority there is an exception, never an answer. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use RedLock\Harness\Fleet;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Symfony\RedLockStore;
use RedLock\Tests\Support\ServerTestCase;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockReleasingException;
use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory;

final class TroubleTest extends ServerTestCase
{
    private Fleet $servers;
    private RedLockStore $store;

    protected function setUp(): void
    {
        $this->servers = $this->fleet(3);
        $this->store = new RedLockStore(new LockManager($this->servers->specs()));
    }

    public function testAServerThatIsDownIsNotNoticed(): void
    {
        $this->down(1);
        $key = new Key('r');
        $this->store->save($key);
        self::assertTrue($this->store->exists($key));
        $this->store->putOffExpiration($key, 400.0);
        $this->store->delete($key);
        self::assertFalse($this->store->exists($key));
    }

    public function testWithoutAMajorityNothingIsAcquired(): void
    {
        $this->down(2);
        $error = self::caught(LockAcquiringException::class, fn () => $this->store->save(new Key('r')));
        self::assertInstanceOf(QuorumException::class, $error->getPrevious());
        self::assertStringContainsString('no majority of 3 servers could be asked', $error->getMessage());
    }

    public function testWithoutAMajorityALockIsNotAcquiredRatherThanBusy(): void
    {
        $this->down(2);
        $lock = (new LockFactory($this->store))->createLock('r');
        self::caught(LockAcquiringException::class, static fn () => $lock->acquire());
    }

    public function testWithoutAMajorityNobodyKnowsWhoseItIs(): void
    {
        $key = new Key('r');
        $this->store->save($key);
        $this->down(2);
        self::caught(LockStorageException::class, fn () => $this->store->exists($key));
        self::caught(LockStorageException::class, fn () => $this->store->putOffExpiration($key, 10.0));
    }

    public function testWithoutAMajorityNothingIsReleased(): void
    {
        $key = new Key('r');
        $this->store->save($key);
        $this->down(2);
        self::caught(LockReleasingException::class, fn () => $this->store->delete($key));
        // It can be tried again.
        $this->servers->servers[0]->restart();
        $this->servers->servers[1]->restart();
        $this->store->delete($key);
        self::assertSame(0, $this->servers->keyCount());
    }

    public function testWhereAServersSilenceLeavesItOpenNobodyKnowsWhoseItIs(): void
    {
        $key = new Key('r');
        $this->store->save($key);
        $this->servers->leaveUndecided('r');
        $error = self::caught(LockStorageException::class, fn () => $this->store->exists($key));
        self::assertInstanceOf(QuorumException::class, $error->getPrevious());
        self::assertStringContainsString('timed out', $error->getMessage());
        self::caught(LockStorageException::class, fn () => $this->store->putOffExpiration($key, 400.0));
        self::caught(LockAcquiringException::class, fn () => $this->store->save($key));
    }

    public function testAServerWhoseSilenceLeavesItOpenIsAskedAgain(): void
    {
        $store = new RedLockStore(new LockManager($this->servers->specs(null, 0.5)));
        foreach (['r' => $store->exists(...), 's' => static fn (Key $key) => $store->putOffExpiration($key, 400.0)] as $name => $ask) {
            $key = new Key($name);
            $store->save($key);
            $this->servers->leaveUndecided($name, 0.65);
            self::assertNotFalse($ask($key));
            $store->delete($key);
        }
        self::assertSame(0, $this->servers->keyCount());
    }

    public function testALockThatChangesHandsBesideAServerThatIsDownHasTimeForThat(): void
    {
        $key = new Key('r');
        $this->store->save($key);
        $this->servers->lose('r', 1, 1);
        foreach ([$this->store->exists(...), fn (Key $key) => $this->store->putOffExpiration($key, 400.0)] as $ask) {
            self::assertGreaterThan(0.025, self::secondsOf(static fn () => self::caught(LockStorageException::class, static fn () => $ask($key))));
        }
    }

    public function testALockOfWhichNobodyKnowsWhoseItIsIsReleasedAllTheSame(): void
    {
        $lock = (new LockFactory($this->store))->createLock('r', 300.0);
        self::assertTrue($lock->acquire());
        $this->servers->leaveUndecided('r');
        self::caught(LockStorageException::class, static fn () => $lock->isAcquired());
        $lock->release();
        self::assertSame([null, null], $this->servers->values('r', 2));
    }

    public function testALockThatGoesWhileAServerIsSilentForAMomentIsReleased(): void
    {
        $store = new RedLockStore(new LockManager($this->servers->specs(null, 0.5)));
        $lock = (new LockFactory($store))->createLock('r', 300.0);
        self::assertTrue($lock->acquire());
        $this->servers->leaveUndecided('r', 0.65);
        unset($lock);
        self::assertSame(0, $this->servers->keyCount());
    }

    public function testWhatAMajorityDeniesIsNotOursThoughAServerIsSilent(): void
    {
        $key = new Key('r');
        $this->store->save($key);
        $this->servers->each(static fn ($client) => $client->call('DEL', 'r'));
        $this->servers->servers[2]->stop();
        self::assertFalse($this->store->exists($key));
        self::caught(LockConflictedException::class, fn () => $this->store->putOffExpiration($key, 400.0));
        $this->store->delete($key);
    }

    public function testReleasingWhatSomebodyElseHasDoesNothing(): void
    {
        $lost = new Key('r');
        $this->store->save($lost);
        $this->servers->each(static fn ($client) => $client->call('DEL', 'r'));
        $key = new Key('r');
        $this->store->save($key);
        $this->store->delete($lost);
        self::assertTrue($this->store->exists($key));
    }

    private function down(int $count): void
    {
        foreach (array_slice($this->servers->servers, 0, $count) as $server) {
            $server->kill9();
        }
    }
}
