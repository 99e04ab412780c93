<?php

declare(strict_types=1);

namespace Bench\Peers;

use Redis;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\LockInterface;
use Symfony\Component\Lock\Store\CombinedStore;
use Symfony\Component\Lock\Store\RedisStore;
use Symfony\Component\Lock\Strategy\ConsensusStrategy;

/** symfony/lock on phpredis, with one server or a majority of several; it waits by polling. */
final class SymfonyLock
{
    private readonly LockFactory $factory;
    private readonly float $ttlSeconds;
    private LockInterface $lock;

    /** @param non-empty-list<Redis> $connections */
    public function __construct(array $connections, int $ttlMs)
    {
        require_once getenv('REDLOCK_BENCH_PEERS') . '/vendor/autoload.php';
        $this->ttlSeconds = $ttlMs / 1000;
        $stores = array_map(fn (Redis $redis) => new RedisStore($redis, $this->ttlSeconds), $connections);
        $this->factory = new LockFactory(count($stores) === 1
            ? $stores[0]
            : new CombinedStore($stores, new ConsensusStrategy()));
    }

    public function acquire(string $resource): bool
    {
        $this->lock = $this->factory->createLock($resource, $this->ttlSeconds);

        return $this->lock->acquire(true);
    }

    public function release(): bool
    {
        $this->lock->release();

        return true;
    }
}
