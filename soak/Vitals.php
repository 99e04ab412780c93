<?php

/** Memory, descriptors and threads of one process through time, as the kernel counts them. */

declare(strict_types=1);

namespace RedLock\Soak;

final class Vitals
{
    public int $rssKib = 0;
    public int $fds = 0;
    public int $threads = 0;
    public int $fdsMax = 0;
    private int $rssWarmKib = 0;
    private int $rssLaterKib = 0;
    /** @var array<string, array{int, int}> the fewest descriptors and threads of each phase without faults */
    private array $calm = [];

    public function __construct(private readonly int $pid)
    {
    }

    /** @param string $phase 'before' and 'after' are calm; 'warming' and 'faults' are not */
    public function sample(string $phase): void
    {
        $status = (string) @file_get_contents("/proc/$this->pid/status");
        $fds = @scandir("/proc/$this->pid/fd");
        if (!preg_match('/^VmRSS:\s+(\d+).*^Threads:\s+(\d+)/ms', $status, $match) || $fds === false) {
            throw new \RuntimeException("the client with pid $this->pid has ended");
        }
        $this->rssKib = (int) $match[1];
        $this->threads = (int) $match[2];
        $this->fds = count($fds) - 2;
        $this->fdsMax = max($this->fdsMax, $this->fds);
        if ($phase === 'before' || $phase === 'warming') {
            $this->rssWarmKib = max($this->rssWarmKib, $this->rssKib);
        } else {
            $this->rssLaterKib = max($this->rssLaterKib, $this->rssKib);
        }
        if ($phase === 'before' || $phase === 'after') {
            // The fewest: the witness opens a file for a moment now and then.
            [$leastFds, $leastThreads] = $this->calm[$phase] ?? [PHP_INT_MAX, PHP_INT_MAX];
            $this->calm[$phase] = [min($leastFds, $this->fds), min($leastThreads, $this->threads)];
        }
    }

    /** How far the highest value after the warm-up lies above the highest during it. */
    public function growthKib(): int
    {
        return $this->rssLaterKib - $this->rssWarmKib;
    }

    /** @return array{int, int} descriptors and threads of a calm phase */
    public function calm(string $phase): array
    {
        return $this->calm[$phase] ?? [0, 0];
    }

    /** @param array{int, int} $more how many descriptors and threads more there may be in the end than in the beginning */
    public function isFlat(array $more): bool
    {
        [$fds, $threads] = array_map(static fn (int $after, int $before): int => $after - $before, $this->calm('after'), $this->calm('before'));
        return isset($this->calm['before'], $this->calm['after'])
            && abs($fds) <= $more[0] && abs($threads) <= $more[1] && $this->growthKib() < 1024;
    }
}
