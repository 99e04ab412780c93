<?php

/** Semaphores: so many at a time as the limit says, each with its weight in permits, for as long as is said. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\Symfony\RedLockSemaphoreStore;
use Symfony\Component\Semaphore\Exception\InvalidArgumentException;
use Symfony\Component\Semaphore\Exception\SemaphoreAcquiringException;
use Symfony\Component\Semaphore\Exception\SemaphoreExpiredException;
use Symfony\Component\Semaphore\Exception\SemaphoreReleasingException;
use Symfony\Component\Semaphore\Key;
use Symfony\Component\Semaphore\SemaphoreFactory;

final class SemaphoreTest extends StoreTestCase
{
    public function testSoManyAreLetInAsTheLimitSays(): void
    {
        $factory = new SemaphoreFactory(self::semaphores());
        $in = array_map(static fn () => $factory->createSemaphore('api', 3), range(1, 4));
        self::assertSame([true, true, true, false], array_map(static fn ($semaphore): bool => $semaphore->acquire(), $in));
        self::assertSame([true, true, true, false], array_map(static fn ($semaphore): bool => $semaphore->isAcquired(), $in));
        $in[1]->release();
        self::assertFalse($in[1]->isAcquired());
        self::assertTrue($in[3]->acquire());
    }

    public function testASemaphoreThatGoesGivesItsPermitsBack(): void
    {
        $semaphore = (new SemaphoreFactory(self::semaphores()))->createSemaphore('api', 3, 2);
        self::assertTrue($semaphore->acquire());
        unset($semaphore);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testAPermitIsOneOfTheLockManagers(): void
    {
        $permit = (new LockManager(self::$fleet->specs(3)))->acquirePermit('api', 2);
        $store = self::semaphores();
        $store->save(new Key('api', 2), 60.0);
        self::caught(SemaphoreAcquiringException::class, static fn () => $store->save(new Key('api', 2), 60.0));
        self::assertTrue($permit->release());
        $store->save(new Key('api', 2), 60.0);
    }

    public function testAWeightIsHadWholeOrNotAtAll(): void
    {
        $store = self::semaphores();
        $store->save($light = new Key('api', 4), 60.0);
        $store->save($heavy = new Key('api', 4, 2), 60.0);
        $error = self::caught(SemaphoreAcquiringException::class, static fn () => $store->save(new Key('api', 4, 2), 60.0));
        self::assertStringContainsString('fewer permits', $error->getMessage());
        self::assertTrue($store->exists($light));
        self::assertTrue($store->exists($heavy));
        // The one that was free is free again.
        $store->save(new Key('api', 4), 60.0);
        $store->delete($heavy);
        $store->save(new Key('api', 4, 2), 60.0);
    }

    /** Each takes its two permits one by one, and none keeps one while it tries again. */
    public function testACrowdWithWeightsGetsOnAndNeverTooManyAtATime(): void
    {
        $folder = self::$fleet->servers[0]->folder . '/in';
        mkdir($folder);
        $code = '
            $store = new RedLock\Symfony\RedLockSemaphoreStore($args["servers"]);
            $most = 0;
            for ($turns = 0; $turns < 10; usleep(random_int(500, 3_000))) {
                $semaphore = new Symfony\Component\Semaphore\Semaphore(new Symfony\Component\Semaphore\Key("api", 5, 2), $store, 30.0);
                if ($semaphore->acquire()) {
                    touch($args["folder"] . "/" . getmypid());
                    $most = max($most, count(glob($args["folder"] . "/*")));
                    usleep(3_000);
                    unlink($args["folder"] . "/" . getmypid());
                    $semaphore->release();
                    ++$turns;
                }
            }
            report($most);
        ';
        $crowd = array_map(fn () => $this->process($code, ['folder' => $folder]), range(1, 4));
        self::assertLessThanOrEqual(2, max(array_map(static fn ($process): int => PhpProcess::report($process), $crowd)));
        rmdir($folder);
    }

    public function testAKeyThatLostOnePermitHasLostAll(): void
    {
        $store = self::semaphores();
        $store->save($key = new Key('api', 4, 3), 60.0);
        self::lose(1, $key);
        self::assertFalse($store->exists($key));
        self::caught(SemaphoreExpiredException::class, static fn () => $store->putOffExpiration($key, 60.0));
        self::assertSame(0, self::$fleet->keyCount(3), 'what was left of it is free');
    }

    public function testAKeyThatLostOnePermitIsSavedWithAll(): void
    {
        $store = self::semaphores();
        $store->save($key = new Key('api', 4, 3), 60.0);
        self::lose(1, $key);
        $store->save($key, 60.0);
        self::assertTrue($store->exists($key));
        $store->save(new Key('api', 4), 60.0);
    }

    public function testSavedTwiceItHasItsPermitsOnce(): void
    {
        $store = self::semaphores();
        $store->save($key = new Key('api', 3, 2), 60.0);
        self::assertLessThanOrEqual(60.0 * 0.99, $key->getRemainingLifetime(), 'clocks may drift');
        $tokens = self::tokens($key);
        $store->save($key, 60.0);
        self::assertSame($tokens, self::tokens($key), 'nobody could take them in between');
        $store->save(new Key('api', 3), 60.0);
        $store->delete($key);
        self::assertFalse($store->exists($key));
        $store->save(new Key('api', 3, 2), 60.0);
    }

    #[TestWith([20.0, 60.0])]
    #[TestWith([60.0, 20.0])]
    public function testItIsPutOffToWhatIsSaid(float $first, float $second): void
    {
        $store = self::semaphores();
        $store->save($key = new Key('api', 2, 2), $first);
        self::assertEqualsWithDelta($first * 1000, max(self::ttls('api:redlock:slot:0')), 2_000);
        $key->resetLifetime();
        $store->putOffExpiration($key, $second);
        foreach (['api:redlock:slot:0', 'api:redlock:slot:1'] as $slot) {
            self::assertEqualsWithDelta($second * 1000, max(self::ttls($slot)), 2_000);
        }
        self::assertEqualsWithDelta($second * 0.99, $key->getRemainingLifetime(), 1.0);
        self::assertLessThanOrEqual($second * 0.99, $key->getRemainingLifetime(), 'clocks may drift');
        self::assertTrue($store->exists($key));
        $tokens = self::tokens($key);
        $store->putOffExpiration($key, $second + 5.0);
        self::assertSame($tokens, self::tokens($key), 'it is not shortened then');
        $store->delete($key);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testItIsFreeOnceItsTimeIsOver(): void
    {
        $store = self::semaphores();
        $store->save($key = new Key('api', 1), 0.2);
        Wait::until(static fn (): bool => self::$fleet->keyCount(3) === 0, 'the ttl ends');
        self::assertFalse($store->exists($key));
        $store->save(new Key('api', 1), 60.0);
        self::caught(SemaphoreAcquiringException::class, static fn () => $store->save($key, 60.0));
    }

    public function testWhatIsOverBeforeItBeganIsNobodys(): void
    {
        $store = self::semaphores();
        self::caught(SemaphoreAcquiringException::class, static fn () => @$store->save(new Key('api', 1), 1e-9));
        self::assertSame(0, self::$fleet->keyCount(3));
        $store->save($key = new Key('api', 1), 60.0);
        self::caught(SemaphoreExpiredException::class, static fn () => $store->putOffExpiration($key, 1e-9));
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testAKeyWhoseOwnTimeIsOverHasNothing(): void
    {
        $store = self::semaphores();
        $store->save($key = new Key('api', 1), 60.0);
        $key->reduceLifetime(0.0);
        self::assertFalse($store->exists($key));
    }

    public function testAKeyIsPlainDataThatAnotherProcessCanUse(): void
    {
        $store = self::semaphores();
        $store->save($key = new Key('api', 2, 2), 60.0);
        $worker = $this->process('
            $store = new RedLock\Symfony\RedLockSemaphoreStore($args["servers"]);
            $key = unserialize($args["key"]);
            report($store->exists($key));
            $store->putOffExpiration($key, 90.0);
            $store->delete($key);
            report($store->exists($key));
        ', ['key' => serialize($key)]);
        self::assertTrue(PhpProcess::report($worker));
        self::assertFalse(PhpProcess::report($worker));
        self::assertFalse($store->exists($key));
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testAChildOfAForkHasNoneOfItsParents(): void
    {
        $process = $this->process('
            $store = new RedLock\Symfony\RedLockSemaphoreStore($args["servers"]);
            $key = new Symfony\Component\Semaphore\Key("api", 1);
            $semaphore = new Symfony\Component\Semaphore\Semaphore($key, $store, 60.0);
            report($semaphore->acquire());
            $thrown = static function (callable $call): string {
                try {
                    return "nothing" . $call();
                } catch (Exception $error) {
                    return $error::class;
                }
            };
            $pid = pcntl_fork();
            if ($pid === 0) {
                report($semaphore->isAcquired());
                report($thrown($semaphore->release(...)));
                report($thrown($semaphore->refresh(...)));
                report($semaphore->acquire());
                unset($semaphore);
                exit;
            }
            pcntl_waitpid($pid, $status);
            report($semaphore->isAcquired());
        ');
        $reports = array_map(static fn () => PhpProcess::report($process), range(1, 6));
        self::assertSame([true, false, SemaphoreReleasingException::class, SemaphoreExpiredException::class, false, true], $reports);
    }

    /** @param array<mixed> $arguments */
    #[DataProvider('wrong')]
    public function testWhatCannotBeMeantIsRefused(array $arguments, float $ttl): void
    {
        $store = self::semaphores();
        self::caught(InvalidArgumentException::class, static fn () => $store->save(new Key(...$arguments), $ttl));
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    /** @return iterable<string, array{array<mixed>, float}> */
    public static function wrong(): iterable
    {
        yield 'no ttl' => [['api', 1], 0.0];
        yield 'a negative ttl' => [['api', 1], -1.0];
        yield 'a ttl without an end' => [['api', 1], INF];
        yield 'more permits than there are' => [['api', 1_025], 60.0];
        yield 'a long name' => [[str_repeat('x', 70_000), 1], 60.0];
    }

    /** @return array<string, string> by slot */
    private static function tokens(Key $key): array
    {
        return $key->getState(RedLockSemaphoreStore::class);
    }

    private static function semaphores(): RedLockSemaphoreStore
    {
        return new RedLockSemaphoreStore(self::$fleet->specs(3));
    }

    /** Takes so many of a key's permits from it. */
    private static function lose(int $count, Key $key): void
    {
        $locks = new LockManager(self::$fleet->specs(3));
        foreach (array_slice(array_keys(self::tokens($key)), 0, $count) as $slot) {
            self::assertTrue($locks->forceRelease($slot));
        }
    }
}
