<?php

/** A server that is killed or stopped, and whose key is watched while it answers. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\RedisServer;

final class ServerVictim implements Victim
{
    public function __construct(private readonly RedisServer $server, public readonly KeyWatch $watch)
    {
    }

    public function suffer(Fault $fault): void
    {
        if ($fault->kind !== 'server stopped') {
            $this->server->kill9();
            $this->watch->lost();
        } else {
            $this->server->stop();
            $this->watch->pause();
        }
    }

    public function recover(Fault $fault): void
    {
        if ($fault->kind !== 'server stopped') {
            $this->server->restart();
        } else {
            $this->server->cont();
        }
        $this->watch->resume();
    }
}
