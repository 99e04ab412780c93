<?php

/** Some servers, the clients that take turns under one lock on them, and the witness of that lock. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\Fleet;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Harness\Witness;

final class Group
{
    private readonly Fleet $fleet;
    public readonly Witness $witness;
    /** @var list<ServerVictim> */
    public readonly array $servers;
    /** @var list<Client> the first is the elder: it lives throughout */
    public readonly array $clients;
    public readonly Vitals $vitals;
    /** @var list<Fate> */
    private readonly array $fates;

    public function __construct(
        public readonly string $name,
        public readonly Trade $trade,
        int $serverCount,
        int $clientCount,
        Schedule $schedule,
        string $extension,
    ) {
        $this->fleet = new Fleet($serverCount);
        $this->witness = Witness::create();
        $this->servers = array_map(
            static fn (RedisServer $server): ServerVictim
                => new ServerVictim($server, new KeyWatch($server, $trade->key(), $trade->orphanSeconds())),
            $this->fleet->servers,
        );
        $fates = $trade->rolling
            ? [new Fate(new RollingVictim($this->servers), $schedule->forRestarts("$name servers", $trade->lease))]
            : array_map(
                static fn (ServerVictim $server, int $index): Fate
                    => new Fate($server, $schedule->forServer("$name server $index")),
                $this->servers,
                array_keys($this->servers),
            );
        $clients = [];
        for ($index = 0; $index < $clientCount; ++$index) {
            $client = "$name client $index";
            $plan = ['name' => $client, 'servers' => $this->fleet->specs(null, 0.05), 'folder' => $this->witness->folder];
            $clients[] = $victim = new Client($plan + $trade->plan(), $extension);
            $fates[] = new Fate($victim, $index === 0
                ? $schedule->forElder($client, $trade->pauseMax)
                : $schedule->forMortal($client, $trade->isKept() ? 3 * $trade->inside : 0.0));
        }
        $this->clients = $clients;
        $this->fates = $fates;
        $this->vitals = new Vitals($clients[0]->process->pid);
    }

    public function listen(): void
    {
        array_map(static fn (Client $client) => $client->listen(), $this->clients);
    }

    public function lookAtKeys(): void
    {
        array_map(static fn (ServerVictim $server) => $server->watch->look(), $this->servers);
    }

    /** @return list<string> the kinds of the faults that were fired */
    public function strike(bool $mayFire): array
    {
        $fired = array_map(static fn (Fate $fate): ?string => $fate->step($mayFire), $this->fates);
        return array_values(array_filter($fired));
    }

    public function isHealthy(): bool
    {
        return array_filter($this->fates, static fn (Fate $fate): bool => $fate->isSuffering()) === [];
    }

    /** Asks the clients to finish; true when they have. */
    public function dismiss(): bool
    {
        foreach ($this->clients as $client) {
            $client->process->signal(SIGTERM);
        }
        $deadline = Wait::now() + 10.0;
        do {
            usleep(20_000);
            $this->listen();
            $left = array_filter($this->clients, static fn (Client $client): bool => !$client->done);
        } while ($left !== [] && Wait::now() < $deadline);
        return $left === [];
    }

    /** The sum of a public number of the clients or the watches. */
    public function sum(string $number): int
    {
        $watches = array_map(static fn (ServerVictim $server): KeyWatch => $server->watch, $this->servers);
        $owners = property_exists(Client::class, $number) ? $this->clients : $watches;
        return array_sum(array_map(static fn (object $owner): int => $owner->$number, $owners));
    }

    /**
     * As it was when nothing happened, or with the thread that keeps leases and its connections, and those on which it
     * listens for its turn.
     */
    public function isElderAsBefore(): bool
    {
        return $this->vitals->isFlat($this->trade->isKept() ? [2 * count($this->servers) + 2, 1] : [0, 0]);
    }

    public function oldestKey(): float
    {
        return max(array_map(static fn (ServerVictim $server): float => $server->watch->oldest, $this->servers));
    }

    /** @return list<string> */
    public function keysLeft(): array
    {
        $keys = static fn (ServerVictim $server): array => $server->watch->keys();
        return array_merge(...array_map($keys, $this->servers));
    }
}
