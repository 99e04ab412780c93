<?php

/** Some independent servers, started side by side; those of memory:// where the environment's REDLOCK_MEMORY says so. */

declare(strict_types=1);

namespace RedLock\Harness;

final class Fleet
{
    /** @var list<RedisServer|MemoryServer> */
    public readonly array $servers;

    /** @param array<string, string|int> $options settings of every server */
    public function __construct(int $count, array $options = [])
    {
        $servers = [];
        for ($i = 0; $i < $count; ++$i) {
            $servers[] = MemoryServer::wanted() ? new MemoryServer() : new RedisServer($options);
        }
        $this->servers = $servers;
        foreach ($servers as $server) {
            $server->ready();
        }
    }

    /**
     * The first `count` servers as RedLock wants them; all without it.
     *
     * @return list<array<int|string, mixed>>
     */
    public function specs(?int $count = null, float $timeout = 0.5): array
    {
        $servers = array_slice($this->servers, 0, $count);
        return array_map(static fn ($s): array => $s->spec($timeout), $servers);
    }

    /** Their names, as in REDLOCK_SERVERS. */
    public function names(?int $count = null): string
    {
        return implode(',', array_map(static fn ($s): string => $s->name(), array_slice($this->servers, 0, $count)));
    }

    /** @return list<?string> what each of the first `count` servers holds under a key */
    public function values(string|int $key, ?int $count = null): array
    {
        return $this->each(static fn ($c): ?string => $c->call('GET', $key), $count);
    }

    /** How many of the servers hold a key at all, whatever its name. */
    public function keyCount(?int $count = null): int
    {
        return array_sum($this->each(static fn ($c): int => $c->call('DBSIZE'), $count));
    }

    /** How often a command reached the servers, all together. */
    public function calls(string $command, ?int $count = null): int
    {
        $servers = array_slice($this->servers, 0, $count);
        return array_sum(array_map(static fn ($s): int => $s->calls($command), $servers));
    }

    public function reset(): void
    {
        foreach ($this->servers as $server) {
            $client = $server->client();
            $client->call('FLUSHALL');
            $client->call('CONFIG', 'RESETSTAT');
        }
    }

    /** The first `count` servers stand still for so long, while the caller goes on. It may wait for the process that ends it. */
    public function standStill(int $count, float $seconds): ChildProcess
    {
        $servers = array_slice($this->servers, 0, $count);
        foreach ($servers as $server) {
            $server->stop();
        }
        return self::wakeLater($servers, $seconds);
    }

    /**
     * Of the first three servers the first holds a key that all have, the second has lost it, and the third does not answer,
     * for so long or until it is woken: nobody can tell whether a majority holds it.
     */
    public function leaveUndecided(string $key, ?float $seconds = null): void
    {
        $this->complete($key, 3);
        $this->servers[1]->client()->call('DEL', $key);
        $this->servers[2]->stop();
        if ($seconds !== null) {
            self::wakeLater([$this->servers[2]], $seconds);
        }
    }

    /** Gives a lock to those servers too that were not asked for it, because enough of the others had granted it before. */
    private function complete(string $key, ?int $count = null): void
    {
        $token = current(array_filter($this->values($key, $count), is_string(...)));
        $ttl = max($this->each(static fn ($client): int => $client->call('PTTL', $key), $count));
        $this->each(static fn ($client) => $client->call('SET', $key, $token, 'NX', 'PX', $ttl), $count);
    }

    /** A lock is lost on so many of the first ones, and so many of the last ones go down. */
    public function lose(string $key, int $lost, int $down = 0): void
    {
        $this->complete($key);
        $this->each(static fn ($client) => $client->call('DEL', $key), $lost);
        foreach (array_slice($this->servers, count($this->servers) - $down) as $server) {
            $server->kill9();
        }
    }

    /** @param list<RedisServer> $servers */
    private static function wakeLater(array $servers, float $seconds): ChildProcess
    {
        $pids = implode(' ', array_map(static fn ($s): int => $s->pid(), $servers));
        return new ChildProcess(['sh', '-c', "sleep $seconds; kill -CONT $pids"]);
    }

    public function end(): void
    {
        foreach ($this->servers as $server) {
            $server->kill9();
        }
    }

    /** @return list<mixed> what the callable gives for a fresh client of each of the first `count` servers */
    public function each(callable $ask, ?int $count = null): array
    {
        $servers = array_slice($this->servers, 0, $count);
        return array_map(static fn ($s): mixed => $ask($s->client()), $servers);
    }
}
