<?php

/** What a process acquired stays its own: a child of a fork, whose lock objects are copies, releases nothing, however it ends. */

declare(strict_types=1);

namespace RedLock\Laravel\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\PhpProcess;

final class ForkTest extends StoreTestCase
{
    #[DataProvider('calls')]
    public function testAChildThatLeavesTheCallableLeavesTheLock(string $call): void
    {
        $process = $this->process('
            $lock = $cache->lock("r", $args["seconds"]);
            $parent = getmypid();
            try {
                $result = ' . $call . ';
            } catch (DomainException) {
                exit(7);
            }
            if (getmypid() !== $parent) {
                exit($result);
            }
            report($result);
            report($cache->lock("r")->isLocked());
        ', ['seconds' => 60]);
        self::assertSame([7, true], PhpProcess::report($process), 'how the child ended, and whether the lock is locked then');
        self::assertFalse(PhpProcess::report($process), 'the parent has released it');
        self::assertSame(0, $process->wait());
    }

    /** @return iterable<string, array{string}> */
    public static function calls(): iterable
    {
        $code = static fn (string $child): string => 'static function () use ($cache, $lock) {
            $pid = pcntl_fork();
            if ($pid === 0) {
                ' . $child . '
            }
            pcntl_waitpid($pid, $status);
            return [pcntl_wexitstatus($status), $cache->lock("r")->isLocked()];
        }';
        $ends = [
            'by its end' => 'exit(7);',
            'by a return' => 'return 7;',
            'by an exception' => 'throw new DomainException();',
            'by a refresh' => 'return $lock->refresh(90) ? 1 : 7;',
            'by a release' => 'return $lock->release() ? 1 : 7;',
        ];
        foreach ($ends as $name => $end) {
            yield "get() $name" => ["\$lock->get({$code($end)})"];
            yield "block() $name" => ["\$lock->block(5, {$code($end)})"];
        }
    }

    public function testAChildRestoresItByItsOwnerToReleaseIt(): void
    {
        $process = $this->process('
            $lock = $cache->lock("r", 60);
            $lock->get();
            if (($pid = pcntl_fork()) === 0) {
                exit($cache->restoreLock("r", $lock->owner())->release() ? 7 : 1);
            }
            pcntl_waitpid($pid, $status);
            report(pcntl_wexitstatus($status));
            report($lock->release());
        ');
        self::assertSame(7, PhpProcess::report($process));
        self::assertFalse(PhpProcess::report($process));
    }

    public function testAChildAcquiresAndReleasesByACopyWhatItsParentReleased(): void
    {
        $process = $this->process('
            $lock = $cache->lock("r", 60);
            $lock->get();
            $lock->release();
            if (($pid = pcntl_fork()) === 0) {
                exit($lock->get() && $lock->release() ? 7 : 1);
            }
            pcntl_waitpid($pid, $status);
            report(pcntl_wexitstatus($status));
            report($lock->get());
        ');
        self::assertSame(7, PhpProcess::report($process));
        self::assertTrue(PhpProcess::report($process));
    }
}
