<?php

declare(strict_types=1);

namespace Bench;

use RuntimeException;
use SysvSemaphore;

/**
 * A lock without any server: a semaphore for which the processes of one machine wait in the kernel's own
 * line, and which is handed to the first of them. What waiting in line can reach at most on a machine.
 */
final class KernelLock
{
    private readonly SysvSemaphore $turn;

    /** @param string $dir names the lock: the same for all who want it */
    public function __construct(string $dir)
    {
        $this->turn = sem_get(ftok($dir, 'b'), 1, 0600, false) ?: throw new RuntimeException('no semaphore');
    }

    /** There is one lock, whatever the resource. */
    public function acquire(string $resource): bool
    {
        return sem_acquire($this->turn);
    }

    public function release(): bool
    {
        return sem_release($this->turn);
    }

    /** By whoever is the last. */
    public function remove(): void
    {
        sem_remove($this->turn);
    }
}
