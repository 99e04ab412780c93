<?php

/** Some processes that take turns with one lock for a while, and what came of it. */

declare(strict_types=1);

namespace RedLock\Bridges\Bench;

use RedLock\Harness\Fleet;
use RedLock\Harness\TempFolder;
use RedLock\Harness\Wait;

final class Crowd
{
    private const INSIDE_US = 5_000;

    /**
     * @param int $restMs after each turn, before the next is asked for
     * @param callable(): \Closure(callable): void $make called in each process: what takes a turn
     */
    public function __construct(
        private readonly int $clients,
        private readonly float $seconds,
        private readonly int $restMs,
        private $make,
    ) {
    }

    /** @return array{int, float} how many turns were taken, and the longest wait for one in seconds */
    public function run(): array
    {
        $results = TempFolder::make() . '/results';
        $begin = Wait::now() + 1.0 + $this->clients / 100;
        $processes = [];
        for ($i = 0; $i < $this->clients; ++$i) {
            $process = pcntl_fork();
            if ($process === 0) {
                $this->child($begin, $results);
            }
            $processes[] = $process;
        }
        $failed = 0;
        foreach ($processes as $process) {
            pcntl_waitpid($process, $status);
            $failed += (int) ($status !== 0);
        }
        if ($failed > 0) {
            throw new \RuntimeException("$failed of $this->clients clients failed");
        }
        $lines = array_map(static fn (string $line): array => explode(' ', $line), file($results));
        return [(int) array_sum(array_column($lines, 0)), (float) max(array_column($lines, 1))];
    }

    /** Who still waits when time is up waits on, and its wait counts; its turn does not. */
    private function child(float $begin, string $results): never
    {
        $failed = 1;
        try {
            [$turns, $longest] = $this->turns($begin, $begin + $this->seconds);
            file_put_contents($results, "$turns $longest\n", FILE_APPEND | LOCK_EX);
            $failed = 0;
        } catch (\Throwable $thrown) {
            fwrite(STDERR, "$thrown\n");
        }
        exit($failed);
    }

    /** @return array{int, float} */
    private function turns(float $begin, float $end): array
    {
        $turn = ($this->make)();
        $turns = 0;
        $longest = 0.0;
        usleep((int) max(0, ($begin - Wait::now()) * 1e6));
        while (($asked = Wait::now()) < $end) {
            $turn(static function () use ($asked, $end, &$turns, &$longest): void {
                $got = Wait::now();
                $longest = max($longest, $got - $asked);
                $turns += (int) ($got < $end);
                usleep(self::INSIDE_US);
            });
            usleep(1000 * $this->restMs);
        }
        return [$turns, $longest];
    }

    /** How often the servers have read something from somebody: a request, where none is sent with another. */
    public static function requests(Fleet $fleet): int
    {
        return array_sum($fleet->each(static function ($client): int {
            preg_match('/^total_reads_processed:(\d+)/m', $client->call('INFO', 'stats'), $match);
            return (int) ($match[1] ?? 0);
        }));
    }
}
