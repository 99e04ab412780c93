<?php

/** One direction of one connection through the proxy: bytes that came in and may go out at some time. */

declare(strict_types=1);

namespace RedLock\Harness\Processes;

final class Flow
{
    /** @var list<array{float, string}> when they are due, and the bytes */
    private array $queue = [];
    private int $carried = 0;

    public function take(string $bytes, float $now, string $fault, int $amount): void
    {
        if ($fault === 'drip') {
            $due = max($now, $this->queue === [] ? $now : end($this->queue)[0]);
            foreach (str_split($bytes) as $byte) {
                $due += $amount / 1000;
                $this->queue[] = [$due, $byte];
            }
        } elseif ($fault === 'delay') {
            $this->queue[] = [$now + $amount / 1000, $bytes];
        } elseif ($fault !== 'drop') {
            $this->queue[] = [$now, $bytes];
        }
    }

    /** What is due by now; no more than a cut allows. */
    public function due(float $now, string $fault, int $amount): string
    {
        $bytes = '';
        while ($this->queue !== [] && $this->queue[0][0] <= $now) {
            $bytes .= array_shift($this->queue)[1];
        }
        if ($fault === 'cut') {
            $bytes = substr($bytes, 0, max(0, $amount - $this->carried));
        }
        $this->carried += strlen($bytes);
        return $bytes;
    }

    /** From here on a cut counts anew. */
    public function restartCount(): void
    {
        $this->carried = 0;
    }

    public function isCut(string $fault, int $amount): bool
    {
        return $fault === 'cut' && $this->carried >= $amount;
    }

    public function nextDue(): ?float
    {
        return $this->queue[0][0] ?? null;
    }
}
