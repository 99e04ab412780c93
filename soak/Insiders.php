<?php

/** Who is inside by which kind of lock, on a server of its own to which nothing happens; it judges in one script, see enter.lua. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\RespClient;

final class Insiders
{
    private readonly RespClient $server;
    private readonly string $script;

    public function __construct(int $port)
    {
        $this->server = new RespClient("tcp://127.0.0.1:$port");
        $this->script = (string) file_get_contents(__DIR__ . '/enter.lua');
    }

    /** The largest fence of those who have been inside until now. */
    public function fence(string $resource): int
    {
        return (int) $this->server->call('HGET', 'fences', "inside:$resource");
    }

    /** Whoever is inside already is so in another way from now on. */
    public function enter(Stay $stay): void
    {
        $keys = self::keys($stay);
        $this->server->call(
            ...['EVAL', $this->script, count($keys), ...$keys, $stay->who, $stay->kind, $stay->from, $stay->to],
            ...[$stay->fence ?? '', $stay->fenceBefore, $stay->permits, $stay->slot],
        );
        // Its fence has been looked at.
        $stay->fence = null;
    }

    public function leave(Stay $stay): void
    {
        foreach (self::keys($stay) as $key) {
            $this->server->call('HDEL', $key, $stay->who);
        }
    }

    /** @return list<string> each begins with 'overlap' or 'fence' and the kind of lock */
    public function wrong(): array
    {
        return $this->server->call('LRANGE', 'wrong', 0, -1);
    }

    /** @return list<string> */
    private static function keys(Stay $stay): array
    {
        return array_map(static fn (string $resource): string => "inside:$resource", $stay->resources);
    }
}
