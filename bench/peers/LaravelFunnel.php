<?php

declare(strict_types=1);

namespace Bench\Peers;

use Illuminate\Redis\Connections\PhpRedisConnection;
use Illuminate\Redis\Limiters\ConcurrencyLimiter;
use Redis;

/** What Redis::funnel() of Laravel runs its callback in, on phpredis, with one server; it polls, with its own pause of 250 ms. */
final class LaravelFunnel
{
    private const SECONDS_MAX = 180;

    private readonly PhpRedisConnection $connection;
    private object $funnel;

    public function __construct(Redis $connection, private readonly int $permits, private readonly int $ttlMs)
    {
        require_once getenv('REDLOCK_BENCH_PEERS') . '/vendor/autoload.php';
        $this->connection = new PhpRedisConnection($connection);
    }

    public function acquire(string $resource): bool
    {
        $seconds = intdiv($this->ttlMs, 1000);
        $this->funnel = new class($this->connection, $resource, $this->permits, $seconds) extends ConcurrencyLimiter {
            private mixed $slot;
            private string $id;

            // As block() does it, in two halves: the callback is what the bench does in between.
            protected function acquire($id)
            {
                $this->id = $id;

                return $this->slot = parent::acquire($id);
            }

            public function giveBack(): void
            {
                $this->release($this->slot, $this->id);
            }
        };

        return $this->funnel->block(self::SECONDS_MAX) === true;
    }

    public function release(): bool
    {
        $this->funnel->giveBack();

        return true;
    }
}
