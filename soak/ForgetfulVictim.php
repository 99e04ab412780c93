<?php

/** Servers that are killed together and start again at once, each with nothing in it; one that is stopped keeps its keys. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\RedisServer;

final class ForgetfulVictim implements Victim
{
    /** @param list<RedisServer> $servers */
    public function __construct(private readonly array $servers)
    {
    }

    public function suffer(Fault $fault): void
    {
        foreach ($this->servers as $server) {
            $fault->kind === 'server stopped' ? $server->stop() : $server->restart();
        }
    }

    public function recover(Fault $fault): void
    {
        foreach ($this->servers as $server) {
            $server->cont();
        }
    }
}
