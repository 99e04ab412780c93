<?php

/** The commands that tests look at a server with, where that is one of memory://, which has no port to send them to. */

declare(strict_types=1);

namespace RedLock\Harness;

use RedLock\LockManager;
use RedLock\Testing;

final class MemoryClient
{
    public function __construct(private readonly string $server)
    {
    }

    public function call(string|int ...$words): mixed
    {
        $key = (string) ($words[1] ?? '');
        return match ($words[0]) {
            'GET' => $this->standing($key)['token'],
            'EXISTS' => (int) in_array($key, $this->keys(), true),
            'PTTL' => in_array($key, $this->keys(), true) ? (int) ($this->standing($key)['ttl'] ?? -1) : -2,
            'DBSIZE' => count($this->keys()),
            'SET' => $this->occupy($key, ...array_slice($words, 3)),
            'DEL' => $this->delete($key),
            'FLUSHALL' => [Testing::forget($this->server), Testing::restore($this->server)],
            'TIME' => explode(' ', sprintf('%d %d', (int) microtime(true), (int) (fmod(microtime(true), 1) * 1e6))),
            'CONFIG' => null,
        };
    }

    /** @return list<string> */
    private function keys(): array
    {
        return Testing::keys($this->server);
    }

    /** @return array<string, mixed> */
    private function standing(string $key): array
    {
        return (new LockManager($this->server))->inspect($key);
    }

    /** A lock of somebody else, whose value is another one than was asked for. */
    private function occupy(string $key, string $px, int $ttl): void
    {
        $this->delete($key);
        if ($px !== 'PX' || (new \RedLock([$this->server], 0, 1))->lock($key, $ttl) === false) {
            throw new \RuntimeException("$this->server: no lock on '$key' by $px");
        }
    }

    private function delete(string $key): int
    {
        $count = count($this->keys());
        Testing::takeAway($key, $this->server);
        return $count - count($this->keys());
    }
}
