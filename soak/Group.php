<?php

/** Some servers and the clients that work on them, all with what befalls them. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\Wait;

abstract class Group
{
    public readonly Vitals $vitals;

    /**
     * @param list<Client> $clients the first is the elder: it lives throughout
     * @param list<Fate> $fates
     */
    protected function __construct(
        public readonly string $name,
        public readonly array $clients,
        private readonly array $fates,
    ) {
        $this->vitals = new Vitals($clients[0]->process->pid);
    }

    abstract public function lookAtKeys(): void;

    /** @return list<string> those that should be gone when nobody has worked for longer than a lease */
    abstract public function keysLeft(): array;

    /** How many turns under a lock there were. */
    abstract public function turns(): int;

    /** @return list<string> */
    abstract public function overlaps(): array;

    public function listen(): void
    {
        array_map(static fn (Client $client) => $client->listen(), $this->clients);
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
            $left = array_filter($this->clients, static fn (Client $client): bool => !$client->isDone());
        } while ($left !== [] && Wait::now() < $deadline);
        return $left === [];
    }

    /** How often the clients said a word. */
    public function said(string $word): int
    {
        return array_sum(array_map(static fn (Client $client): int => $client->said[$word], $this->clients));
    }

    public function kills(): int
    {
        return array_sum(array_map(static fn (Client $client): int => $client->kills, $this->clients));
    }
}
