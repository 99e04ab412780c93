<?php

/** Semaphores on servers that are down or silent: a minority is not noticed, and without a majority there is an exception, never an answer. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use RedLock\QuorumException;
use RedLock\Symfony\RedLockSemaphoreStore;
use RedLock\Tests\Support\ServerTestCase;
use Symfony\Component\Semaphore\Exception\RuntimeException;
use Symfony\Component\Semaphore\Exception\SemaphoreReleasingException;
use Symfony\Component\Semaphore\Key;
use Symfony\Component\Semaphore\SemaphoreFactory;

final class SemaphoreTroubleTest extends ServerTestCase
{
    public function testWithoutAMajorityItIsNotAcquiredRatherThanBusy(): void
    {
        $fleet = $this->fleet(3);
        $store = new RedLockSemaphoreStore($fleet->specs());
        $semaphore = (new SemaphoreFactory($store))->createSemaphore('api', 2);
        self::assertTrue($semaphore->acquire());
        foreach ([0, 1] as $down) {
            $fleet->servers[$down]->kill9();
        }
        $other = (new SemaphoreFactory($store))->createSemaphore('api', 2);
        foreach ([$other->acquire(...), $semaphore->refresh(...), $semaphore->isAcquired(...)] as $call) {
            $error = self::caught(RuntimeException::class, static fn () => $call());
            self::assertInstanceOf(QuorumException::class, $error->getPrevious());
        }
        self::caught(SemaphoreReleasingException::class, static fn () => $semaphore->release());
        // It can be tried again.
        $fleet->servers[0]->restart();
        $fleet->servers[1]->restart();
        $semaphore->release();
        self::assertSame(0, $fleet->keyCount());
    }

    public function testAServerThatIsDownIsNotNoticed(): void
    {
        $fleet = $this->fleet(3);
        $fleet->servers[1]->kill9();
        $semaphore = (new SemaphoreFactory(new RedLockSemaphoreStore($fleet->specs())))->createSemaphore('api', 2, 2);
        self::assertTrue($semaphore->acquire());
        $semaphore->refresh(60.0);
        self::assertTrue($semaphore->isAcquired());
        $semaphore->release();
        self::assertFalse($semaphore->isAcquired());
    }

    public function testWhereNobodyKnowsWhoseItIsWhatIsLeftOfItRunsOut(): void
    {
        $fleet = $this->fleet(3);
        $store = new RedLockSemaphoreStore($fleet->specs());
        $store->save($key = new Key('api', 1), 60.0);
        $fleet->lose('api:redlock:slot:0', 1, 1);
        $left = static fn (string ...$command): int => $fleet->servers[1]->client()->call(...$command);
        self::assertSame(1, $left('PEXPIRE', 'api:redlock:slot:0', '10000'));
        self::caught(QuorumException::class, static fn () => $store->save($key, 60.0));
        self::assertLessThanOrEqual(10_000, $left('PTTL', 'api:redlock:slot:0'));
    }

    public function testWhatServersMayHaveBeenToldInVainIsShortened(): void
    {
        $fleet = $this->fleet(3);
        $store = new RedLockSemaphoreStore($fleet->specs());
        $store->save($key = new Key('api', 1), 20.0);
        $silent = array_slice($fleet->servers, 0, 2);
        array_map(static fn ($server) => $server->stop(), $silent);
        self::caught(QuorumException::class, static fn () => $store->putOffExpiration($key, 90.0));
        array_map(static fn ($server) => $server->cont(), $silent);
        $tokens = $key->getState(RedLockSemaphoreStore::class);
        $store->putOffExpiration($key, 60.0);
        self::assertNotSame($tokens, $key->getState(RedLockSemaphoreStore::class));
    }
}
