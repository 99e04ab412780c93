<?php

/** What Laravel asks of the locks of its Redis store, of this one. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use Illuminate\Contracts\Cache\LockTimeoutException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;

final class LockTest extends StoreTestCase
{
    public function testALockExcludesAnotherUntilItIsReleased(): void
    {
        for ($i = 0; $i < 2; ++$i) {
            $lock = $this->lock();
            self::assertTrue($lock->get());
            self::assertFalse($this->lock()->get());
            self::assertTrue($lock->release());
        }
        self::assertFalse($lock->release());
    }

    public function testTheOneWhoHasItCannotTakeItASecondTime(): void
    {
        $lock = $this->lock(owner: 'me');
        self::assertTrue($lock->get());
        self::assertFalse($lock->get());
        self::assertFalse($this->lock(owner: 'me')->get());
        self::assertTrue($lock->release());
    }

    public function testACallableRunsUnderTheLock(): void
    {
        $result = $this->lock()->get(fn (): array => ['taylor', $this->lock()->get()]);
        self::assertSame(['taylor', false], $result);
        self::assertFalse($this->lock()->isLocked());
    }

    public function testACallableThatThrowsLeavesNoLock(): void
    {
        foreach (['get', 'block'] as $method) {
            $arguments = $method === 'get' ? [] : [1];
            $call = fn () => $this->lock()->$method(...[...$arguments, static fn () => throw new \DomainException('enough')]);
            self::caught(\DomainException::class, $call);
            self::assertFalse($this->lock()->isLocked());
        }
    }

    public function testALockOutlivesItsObject(): void
    {
        $this->lock()->get();
        self::assertTrue($this->lock()->isLocked());
        self::assertFalse($this->lock()->get());
    }

    public function testALockOutlivesTheProcessThatTookIt(): void
    {
        $process = $this->process('$lock = $cache->lock("r", 60); report($lock->get()); report($lock->owner());');
        self::assertTrue(PhpProcess::report($process));
        $owner = PhpProcess::report($process);
        self::assertSame(0, $process->wait());
        self::assertTrue($this->lock()->isOwnedBy($owner));
    }

    public function testALockThatExpiredIsNotReleasedInItsSuccessorsPlace(): void
    {
        // Not even if the successor has the same owner.
        $late = $this->lock(seconds: 1, owner: 'me');
        self::assertTrue($late->get());
        Wait::until(fn (): bool => !$this->lock()->isLocked(), 'the lock to expire');
        self::assertTrue($this->lock(owner: 'me')->get());
        self::assertFalse($late->release());
        self::assertTrue($this->lock()->isLocked());
    }

    public function testTheCallersOwnerIsTheOwner(): void
    {
        $lock = $this->lock(owner: 'queue:7');
        self::assertSame('queue:7', $lock->owner());
        $lock->get();
        self::assertTrue($this->lock()->isOwnedBy('queue:7'));
        self::assertSame('queue:7', (new LockManager(self::$fleet->specs(3)))->owner('shop_r'));
    }

    public function testOwnershipIsAskedOfTheServers(): void
    {
        $lock = $this->lock();
        self::assertTrue($lock->isOwnedBy(null));
        self::assertFalse($lock->isOwnedByCurrentProcess());
        self::assertTrue($lock->get());
        self::assertTrue($lock->isOwnedByCurrentProcess());
        self::assertTrue($lock->isOwnedBy($lock->owner()));
        $other = $this->cache()->restoreLock('r', 'somebody');
        self::assertTrue($other->isOwnedBy($lock->owner()));
        self::assertFalse($other->isOwnedByCurrentProcess());
        self::assertFalse($other->isOwnedBy(null));
    }

    public function testALockIsLockedWhileSomebodyHasIt(): void
    {
        $lock = $this->lock();
        self::assertFalse($lock->isLocked());
        $lock->get();
        self::assertTrue($lock->isLocked());
        $lock->release();
        self::assertFalse($lock->isLocked());
    }

    public function testAnotherProcessRestoresALockByItsOwnerAndReleasesIt(): void
    {
        $lock = $this->lock(seconds: 60);
        $lock->get();
        $worker = $this->process('
            report($cache->restoreLock("r", "somebody")->release());
            $lock = $cache->restoreLock("r", $args["owner"]);
            report($lock->isOwnedByCurrentProcess());
            report($lock->release());
        ', ['owner' => $lock->owner()]);
        self::assertFalse(PhpProcess::report($worker));
        self::assertTrue(PhpProcess::report($worker));
        self::assertTrue(PhpProcess::report($worker));
        self::assertTrue($this->lock()->get());
    }

    public function testAnyoneCanForceARelease(): void
    {
        $this->lock()->get();
        $this->lock()->forceRelease();
        self::assertFalse($this->lock()->isLocked());
        self::assertTrue($this->lock()->get());
    }

    public function testNamesHaveThePrefixOfTheStore(): void
    {
        $this->lock('invoice')->get();
        self::assertSame(1, self::$fleet->servers[0]->client()->call('EXISTS', 'shop_invoice'));
    }

    #[DataProvider('waits')]
    public function testALockThatIsFreeNeedsNoWait(int $seconds): void
    {
        self::assertTrue($this->lock('a')->block($seconds));
        self::assertSame('taylor', $this->lock('b')->block($seconds, static fn (): string => 'taylor'));
        self::assertFalse($this->lock('b')->isLocked());
    }

    /** @return iterable<string, array{int}> */
    public static function waits(): iterable
    {
        yield 'none' => [0];
        yield 'one second' => [1];
    }

    public function testAWaiterIsGivenTheLockThatIsReleased(): void
    {
        $lock = $this->lock();
        $lock->get();
        $waiter = $this->process('report("waiting"); $cache->lock("r", 10)->block(30); report("granted");');
        self::assertSame('waiting', PhpProcess::report($waiter));
        $locks = new LockManager(self::$fleet->specs(3));
        Wait::until(static fn (): bool => $locks->inspect('shop_r')['waiters'] === 1, 'it to stand in line');
        $lock->release();
        self::assertSame('granted', PhpProcess::report($waiter));
        self::assertFalse($this->lock()->get());
    }

    public function testAWaitLastsAsLongAsItSaysAndNoShorter(): void
    {
        $this->lock(seconds: 20)->get();
        $start = Wait::now();
        self::caught(LockTimeoutException::class, fn () => $this->lock()->block(1, static fn () => self::fail('it is taken')));
        self::assertGreaterThanOrEqual(1.0, Wait::now() - $start);
        self::assertTrue($this->lock()->isLocked());
    }

    public function testAWaitOutlivesAnExpiry(): void
    {
        $this->lock(seconds: 1)->get();
        self::assertTrue($this->lock()->block(10));
    }

    public function testOnlyTheOwnerRefreshesALock(): void
    {
        $lock = $this->lock(seconds: 2);
        $lock->get();
        self::assertFalse($this->cache()->restoreLock('r', 'somebody')->refresh(60));
        self::assertLessThanOrEqual(2_000, max(self::ttls()));
        self::assertTrue($lock->refresh(60));
        self::assertGreaterThan(50_000, max(self::ttls()));
        self::assertTrue($this->cache()->restoreLock('r', $lock->owner())->refresh(90));
        self::assertGreaterThan(80_000, max(self::ttls()));
        self::assertTrue($lock->release());
        self::assertFalse($lock->refresh(60));
    }

    public function testARefreshWithoutSecondsTakesThoseOfTheLock(): void
    {
        $lock = $this->lock(seconds: 20);
        $lock->get();
        self::$fleet->each(static fn ($client) => $client->call('PEXPIRE', 'shop_r', '5000'), 3);
        self::assertTrue($lock->refresh());
        self::assertGreaterThan(15_000, max(self::ttls()));
        self::assertFalse($this->lock()->get());
    }

    #[DataProvider('secondsAsTheyCome')]
    public function testSecondsMayComeAsTheyDoInLaravel(mixed $seconds, int $atLeast): void
    {
        $lock = $this->cache()->lock('r', $seconds);
        self::assertTrue($lock->get());
        self::assertGreaterThan($atLeast, max(self::ttls()));
        self::assertTrue($lock->refresh($seconds));
        self::assertTrue($lock->release());
    }

    /** @return iterable<string, array{mixed, int}> */
    public static function secondsAsTheyCome(): iterable
    {
        yield 'a string' => ['10', 8_000];
        yield 'nothing' => [null, 86_000_000];
        yield 'less than nothing' => [-5, 86_000_000];
        yield 'parts of a second' => [0.5, 100];
        yield 'more than there are' => [\PHP_INT_MAX, 86_000_000];
        yield 'without an end' => [\INF, 86_000_000];
    }

    public function testSecondsThatAreNoNumberAreRefused(): void
    {
        self::caught(\TypeError::class, fn () => $this->cache()->lock('r', 'ten'));
        $lock = $this->lock();
        self::assertTrue($lock->get());
        self::caught(\TypeError::class, static fn () => $lock->refresh('ten'));
        self::caught(\TypeError::class, fn () => $this->lock()->block('ten'));
    }

    #[DataProvider('waitsThatAreOver')]
    public function testAWaitThatIsOverTriesOnce(mixed $seconds): void
    {
        $this->lock()->get();
        self::caught(LockTimeoutException::class, fn () => $this->lock()->block($seconds));
        self::assertTrue($this->lock('free')->block($seconds));
    }

    /** @return iterable<string, array{mixed}> */
    public static function waitsThatAreOver(): iterable
    {
        yield 'now' => [0];
        yield 'long ago' => [-1];
        yield 'in a string' => ['0'];
    }

    #[DataProvider('waitsWithoutAnEnd')]
    public function testAWaitWithoutAnEndLastsUntilTheLockIsFree(int|float $seconds): void
    {
        $this->lock(seconds: 1)->get();
        self::assertTrue($this->lock()->block($seconds));
    }

    /** @return iterable<string, array{int|float}> */
    public static function waitsWithoutAnEnd(): iterable
    {
        yield 'endless' => [\INF];
        yield 'as long as there are numbers' => [\PHP_INT_MAX];
        yield 'longer than any wait' => [\PHP_INT_MAX / 1000];
    }

    public function testAnOwnerMayBeANumber(): void
    {
        self::assertTrue($this->cache()->lock('r', 10, 7)->get());
        self::assertTrue($this->cache()->restoreLock('r', 7)->release());
    }
}
