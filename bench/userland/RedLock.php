<?php

declare(strict_types=1);

namespace Bench\Userland;

use Redis;

/**
 * The quorum lock as its reference document describes it, on phpredis: what PHP projects run today.
 *
 * Faithful in what costs time: servers are asked one after another, every failed attempt is undone
 * server by server and followed by a pause, the script travels in full with every release.
 */
class RedLock
{
    private const CLOCK_DRIFT_FACTOR = 0.01;

    private const RELEASE_SCRIPT = '
        if redis.call("GET", KEYS[1]) == ARGV[1] then
            return redis.call("DEL", KEYS[1])
        else
            return 0
        end
    ';

    private readonly int|float $quorum;

    /** @var list<Redis> */
    private array $instances = [];

    /** @param list<array{string, int, float}> $servers host, port, seconds to connect */
    public function __construct(
        private readonly array $servers,
        private readonly int $retryDelay = 200,
        private readonly int $retryCount = 3,
    ) {
        $this->quorum = min(count($servers), count($servers) / 2 + 1);
    }

    /** @return array{validity: float, resource: string, token: string}|false */
    public function lock(string $resource, int $ttl): array|false
    {
        $this->connect();
        $token = uniqid();
        $attemptsLeft = $this->retryCount;
        do {
            $startMs = microtime(true) * 1000;
            $granted = 0;
            foreach ($this->instances as $instance) {
                if ($instance->set($resource, $token, ['NX', 'PX' => $ttl])) {
                    $granted++;
                }
            }
            $drift = $ttl * self::CLOCK_DRIFT_FACTOR + 2;
            $validity = $ttl - (microtime(true) * 1000 - $startMs) - $drift;
            if ($granted >= $this->quorum && $validity > 0) {
                return ['validity' => $validity, 'resource' => $resource, 'token' => $token];
            }
            $this->release($resource, $token);
            usleep(mt_rand((int) floor($this->retryDelay / 2), $this->retryDelay) * 1000);
            $attemptsLeft--;
        } while ($attemptsLeft > 0);

        return false;
    }

    /** @param array{resource: string, token: string, ...} $lock */
    public function unlock(array $lock): void
    {
        $this->connect();
        $this->release($lock['resource'], $lock['token']);
    }

    private function release(string $resource, string $token): void
    {
        foreach ($this->instances as $instance) {
            $instance->eval(self::RELEASE_SCRIPT, [$resource, $token], 1);
        }
    }

    private function connect(): void
    {
        if ($this->instances !== []) {
            return;
        }
        foreach ($this->servers as [$host, $port, $timeout]) {
            $redis = new Redis();
            $redis->connect($host, $port, $timeout);
            $this->instances[] = $redis;
        }
    }
}
