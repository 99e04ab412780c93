<?php

declare(strict_types=1);

namespace Bench\Peers;

use Redis;
use Symfony\Component\Semaphore\SemaphoreFactory;
use Symfony\Component\Semaphore\SemaphoreInterface;
use Symfony\Component\Semaphore\Store\RedisStore;

/** symfony/semaphore on phpredis, with one server; it has no wait, so this polls as symfony/lock does. */
final class SymfonySemaphore
{
    private const PAUSE_US = 100_000;
    private const PAUSE_SPREAD_US = 10_000;

    private readonly SemaphoreFactory $factory;
    private SemaphoreInterface $semaphore;

    public function __construct(Redis $connection, private readonly int $permits, private readonly int $ttlMs)
    {
        require_once getenv('REDLOCK_BENCH_PEERS') . '/vendor/autoload.php';
        $this->factory = new SemaphoreFactory(new RedisStore($connection));
    }

    public function acquire(string $resource): bool
    {
        $this->semaphore = $this->factory->createSemaphore($resource, $this->permits, 1, $this->ttlMs / 1000, false);
        while (!$this->semaphore->acquire()) {
            usleep(self::PAUSE_US + random_int(-self::PAUSE_SPREAD_US, self::PAUSE_SPREAD_US));
        }

        return true;
    }

    public function release(): bool
    {
        $this->semaphore->release();

        return true;
    }
}
