<?php

/** What a process acquired stays its own: a child of a fork, whose keys are copies, releases nothing, however it ends. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\PhpProcess;

final class ForkTest extends StoreTestCase
{
    /** What both processes have when one forks the other. */
    private const PRELUDE = '
        use Symfony\Component\Lock\{Key, Lock, LockFactory};
        use RedLock\Symfony\RedLockStore;
        $lock = (new LockFactory($store))->createLock("r", 60.0);
        $lock->acquire() || exit(1);
        $fork = static function (callable $child): int {
            $pid = pcntl_fork();
            if ($pid === 0) {
                exit($child());
            }
            pcntl_waitpid($pid, $status);
            return pcntl_wexitstatus($status);
        };
    ';

    #[DataProvider('children')]
    public function testAChildLeavesTheLockToItsParent(string $child): void
    {
        $process = $this->process(self::PRELUDE . '
            report($fork(static function () use ($lock, $store, $args): int {' . $child . '}));
            report($lock->isAcquired());
            $lock->release();
            report($lock->isAcquired());
        ');
        self::assertSame(7, PhpProcess::report($process));
        self::assertTrue(PhpProcess::report($process), 'the parent has it still');
        self::assertFalse(PhpProcess::report($process), 'the parent can release it');
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    /** @return iterable<string, array{string}> what a child does; it ends by 7 where all was as it should be */
    public static function children(): iterable
    {
        yield 'that only ends' => ['return 7;'];
        yield 'whose lock goes first' => ['$lock->__destruct(); return 7;'];
        yield 'that asks' => ['return $lock->isAcquired() ? 1 : 7;'];
        yield 'that releases' => ['
            try {
                $lock->release();
            } catch (Symfony\Component\Lock\Exception\LockReleasingException $error) {
                return str_contains($error->getMessage(), "belongs to the parent") ? 7 : 2;
            }
            return 1;
        '];
        yield 'that refreshes' => ['
            try {
                $lock->refresh();
            } catch (Symfony\Component\Lock\Exception\LockConflictedException) {
                return 7;
            }
            return 1;
        '];
        yield 'that refreshes by a shorter ttl' => ['
            try {
                $lock->refresh(5.0);
            } catch (Symfony\Component\Lock\Exception\LockConflictedException) {
                return 7;
            }
            return 1;
        '];
        yield 'that acquires it again' => ['return $lock->acquire() ? 1 : 7;'];
        yield 'with a store of its own' => ['
            $key = (new ReflectionProperty($lock, "key"))->getValue($lock);
            $own = new RedLockStore($args["servers"], 300.0);
            return $own->exists($key) || (new Lock($key, $own))->acquire() ? 1 : 7;
        '];
    }

    public function testAChildAcquiresForItselfWhatItsParentReleased(): void
    {
        $process = $this->process(self::PRELUDE . '
            $lock->release();
            report($fork(static function () use ($lock): int {
                if (!$lock->acquire() || !$lock->isAcquired()) {
                    return 1;
                }
                $lock->refresh(5.0);
                $lock->release();
                return $lock->isAcquired() ? 2 : 7;
            }));
            report($lock->acquire());
        ');
        self::assertSame(7, PhpProcess::report($process));
        self::assertTrue(PhpProcess::report($process));
    }

    public function testAKeyThatWasHandedToAChildIsTheChilds(): void
    {
        $process = $this->process(self::PRELUDE . '
            $key = serialize((new ReflectionProperty($lock, "key"))->getValue($lock));
            report($fork(static function () use ($key, $store): int {
                $key = unserialize($key);
                if (!$store->exists($key)) {
                    return 1;
                }
                $store->putOffExpiration($key, 90.0);
                $store->delete($key);
                return 7;
            }));
            report($lock->isAcquired());
        ');
        self::assertSame(7, PhpProcess::report($process));
        self::assertFalse(PhpProcess::report($process));
    }
}
