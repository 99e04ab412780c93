<?php

/**
 * Clients that take all kinds of locks on three servers, which forget everything at any time and answer again at once,
 * two of three together as well: the guard alone keeps them from giving a lock twice.
 */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\Fleet;
use RedLock\Harness\RedisServer;
use RedLock\Harness\RespClient;

final class KindsGroup extends Group
{
    public const KINDS = ['exclusive', 'shared', 'promoted', 'demoted', 'several', 'permit'];
    /** How long keys beside the lock may live on, by the end of their names; see docs/protocol.md. */
    private const MS_MAX = [':fence' => 86_400_000, ':line' => 15_000, ':waiters' => 15_000];
    private const ELDER_PAUSE_MAX_SECONDS = 0.3;

    private readonly Fleet $fleet;
    private readonly RedisServer $judge;
    private readonly Insiders $insiders;

    public function __construct(string $name, int $clientCount, Schedule $schedule, string $extension)
    {
        $this->fleet = new Fleet(3);
        $this->judge = RedisServer::start();
        $this->insiders = new Insiders($this->judge->port);
        $servers = $this->fleet->servers;
        $fates = [];
        foreach ($servers as $index => $server) {
            $fates[] = new Fate(new ForgetfulVictim([$server]), $schedule->forForgetful("$name server $index"));
            $next = $servers[($index + 1) % count($servers)];
            $fates[] = new Fate(new ForgetfulVictim([$server, $next]), $schedule->forPair("$name pair $index"));
        }
        $clients = [];
        for ($index = 0; $index < $clientCount; ++$index) {
            $client = "$name client $index";
            $plan = ['name' => $client, 'servers' => $this->fleet->specs(null, 0.05), 'judge' => $this->judge->port];
            $start = static fn () => KindTurns::start($plan, $extension);
            $clients[] = $victim = new Client($client, KindTurns::WORDS, $start);
            $fates[] = new Fate($victim, $index === 0
                ? $schedule->forElder($client, self::ELDER_PAUSE_MAX_SECONDS)
                : $schedule->forMortal($client, 0.0));
        }
        parent::__construct($name, $clients, $fates);
    }

    public function lookAtKeys(): void
    {
    }

    public function turns(): int
    {
        return array_sum(array_map(fn (string $kind): int => $this->said("$kind.acquired"), self::KINDS));
    }

    public function overlaps(): array
    {
        return $this->wrong('overlap');
    }

    /**
     * @param string $how 'overlap' or 'fence'
     * @return list<string> what the judge found
     */
    public function wrong(string $how, string $kind = ''): array
    {
        $found = array_filter($this->insiders->wrong(), static fn (string $line): bool => str_starts_with($line, "$how $kind"));
        return array_values($found);
    }

    /** But for the connections on which it listens for its turn, one to a server. */
    public function isElderAsBefore(): bool
    {
        return $this->vitals->isFlat([2 * count($this->fleet->servers) + 2, 0]);
    }

    /** Those of dead waiters and fences stay for longer, but not for ever. */
    public function keysLeft(): array
    {
        return array_merge(...$this->fleet->each(static function (RespClient $client): array {
            $isLeft = static function (string $key) use ($client): bool {
                $ms = self::MS_MAX[strrchr($key, ':')] ?? 0;
                $left = $client->call('PTTL', $key);
                return $left === -1 || $left > $ms;
            };
            return array_values(array_filter($client->call('KEYS', '*'), $isLeft));
        }));
    }
}
