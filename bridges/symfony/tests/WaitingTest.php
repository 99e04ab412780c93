<?php

/** A key that has to wait stands in line. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use Symfony\Component\Lock\Key;

final class WaitingTest extends StoreTestCase
{
    private const HOLDER = '
        $key = new Symfony\Component\Lock\Key("r");
        $store->save($key);
        report("held");
        fgets(STDIN);
        $store->delete($key);
        report(hrtime(true));
    ';
    private const WAITER = '
        $key = new Symfony\Component\Lock\Key("r");
        report("waiting");
        $store->waitAndSave($key);
        report(hrtime(true));
        $store->delete($key);
    ';

    public function testAWaiterIsGivenTheLockThatAnotherProcessGivesBack(): void
    {
        $holder = $this->process(self::HOLDER);
        self::assertSame('held', PhpProcess::report($holder));
        $waiter = $this->process(self::WAITER);
        self::assertSame('waiting', PhpProcess::report($waiter));
        $this->waitsInLine(1);
        $holder->writeLine('go');
        self::assertGreaterThan(0, PhpProcess::report($holder));
        self::assertGreaterThan(0, PhpProcess::report($waiter));
        self::assertSame(0, $waiter->wait());
    }

    public function testWaitersAreServedInTheOrderInWhichTheyCame(): void
    {
        $store = self::store();
        $key = self::saved($store);
        $waiters = [];
        foreach ([1, 2, 3] as $length) {
            $waiters[] = $this->process(self::WAITER);
            self::assertSame('waiting', PhpProcess::report(end($waiters)));
            $this->waitsInLine($length);
        }
        $store->delete($key);
        $granted = array_map(PhpProcess::report(...), $waiters);
        $sorted = $granted;
        sort($sorted);
        self::assertSame($sorted, $granted);
    }

    public function testWaitingCostsTheServersNextToNothing(): void
    {
        $store = self::store();
        $key = self::saved($store);
        $waiter = $this->process(self::WAITER);
        self::assertSame('waiting', PhpProcess::report($waiter));
        $this->waitsInLine(1);
        $before = array_sum(self::$fleet->servers[0]->commandCalls());
        // What is counted here must not come: nothing can be waited for.
        usleep(1_500_000);
        $after = array_sum(self::$fleet->servers[0]->commandCalls());
        $store->delete($key);
        self::assertGreaterThan(0, PhpProcess::report($waiter));
        self::assertLessThan(30, $after - $before, 'a store that polls asks some ten times a second');
    }

    public function testALongWaitDoesNotUseUpTheLifetimeOfTheKey(): void
    {
        $holder = $this->process(self::HOLDER, [], 2.0);
        self::assertSame('held', PhpProcess::report($holder));
        $store = self::store(1.5);
        $key = new Key('r');
        $store->waitAndSave($key);
        self::assertGreaterThan(0.0, $key->getRemainingLifetime());
        self::assertTrue($store->exists($key));
    }

    public function testAKeyThatHasTheLockDoesNotWaitForItself(): void
    {
        $store = self::store();
        $key = self::saved($store);
        $store->waitAndSave($key);
        self::assertTrue($store->exists($key));
    }

    public function testAnExceptionOfASignalHandlerEndsTheWait(): void
    {
        $held = self::saved(self::store());
        pcntl_signal(SIGALRM, static fn () => throw new \DomainException('enough'));
        pcntl_alarm(1);
        $key = new Key('r');
        try {
            self::caught(\DomainException::class, static fn () => self::store()->waitAndSave($key));
        } finally {
            pcntl_signal(SIGALRM, SIG_DFL);
        }
        self::assertFalse(self::store()->exists($key));
        self::assertTrue(self::store()->exists($held));
    }

    /** Until a majority of the servers has so many in line. */
    private function waitsInLine(int $length): void
    {
        $locks = new \RedLock\LockManager(self::$fleet->specs(3));
        Wait::until(static fn (): bool => $locks->inspect('r')['waiters'] >= $length, "$length in line");
    }
}
