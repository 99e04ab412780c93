<?php

/** Some servers, the clients that take turns under one lock on them, and the witness of that lock. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\Fleet;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Turns;
use RedLock\Harness\Witness;

final class TurnGroup extends Group
{
    private const WORDS = ['turn', 'extended', 'trouble', 'late', 'lost', 'done'];

    private readonly Fleet $fleet;
    public readonly Witness $witness;
    /** @var list<ServerVictim> */
    private readonly array $servers;

    public function __construct(
        string $name,
        public readonly Trade $trade,
        int $serverCount,
        int $clientCount,
        Schedule $schedule,
        private readonly string $extension,
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
            $clients[] = $victim = $this->client($client);
            $fates[] = new Fate($victim, $index === 0
                ? $schedule->forElder($client, $trade->pauseMax)
                : $schedule->forMortal($client, $trade->isKept() ? 3 * $trade->inside : 0.0));
        }
        parent::__construct($name, $clients, $fates);
    }

    private function client(string $name): Client
    {
        $plan = ['name' => $name, 'servers' => $this->fleet->specs(null, 0.05), 'folder' => $this->witness->folder];
        $plan += $this->trade->plan();
        $settings = ['extension' => $this->extension];
        return new Client($name, self::WORDS, static fn () => Turns::start($plan, $settings));
    }

    public function lookAtKeys(): void
    {
        array_map(static fn (ServerVictim $server) => $server->watch->look(), $this->servers);
    }

    public function turns(): int
    {
        return $this->said('turn');
    }

    public function overlaps(): array
    {
        return $this->witness->overlaps();
    }

    /** The sum of a public number of the watches. */
    public function seen(string $number): int
    {
        return array_sum(array_map(static fn (ServerVictim $server): int => $server->watch->$number, $this->servers));
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

    public function keysLeft(): array
    {
        $keys = static fn (ServerVictim $server): array => $server->watch->keys();
        return array_merge(...array_map($keys, $this->servers));
    }
}
