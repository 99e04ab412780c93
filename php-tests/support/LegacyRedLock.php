<?php

/** The userland RedLock as it is deployed: one server after the other, one token for all attempts, wall clock. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

use RedLock\Harness\RespClient;

final class LegacyRedLock
{
    private const DRIFT_FACTOR = 0.01;
    private const DELETE_IF_OURS = '
        if redis.call("GET", KEYS[1]) == ARGV[1] then
            return redis.call("DEL", KEYS[1])
        else
            return 0
        end
    ';

    private readonly float $quorum;

    /** @param list<RespClient> $servers */
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
        $token = uniqid();
        $attemptsLeft = $this->retryCount;
        do {
            $start = microtime(true) * 1000;
            $granted = 0;
            foreach ($this->servers as $server) {
                if ($server->call('SET', $resource, $token, 'NX', 'PX', $ttl) === 'OK') {
                    ++$granted;
                }
            }
            $elapsed = microtime(true) * 1000 - $start;
            $validity = $ttl - $elapsed - ($ttl * self::DRIFT_FACTOR + 2);
            if ($granted >= $this->quorum && $validity > 0) {
                return ['validity' => $validity, 'resource' => $resource, 'token' => $token];
            }
            $this->unlock(['resource' => $resource, 'token' => $token]);
            usleep(mt_rand(intdiv($this->retryDelay, 2), $this->retryDelay) * 1000);
        } while (--$attemptsLeft > 0);
        return false;
    }

    /** @param array{resource: string, token: string} $lock */
    public function unlock(array $lock): void
    {
        foreach ($this->servers as $server) {
            $server->call('EVAL', self::DELETE_IF_OURS, 1, $lock['resource'], $lock['token']);
        }
    }
}
