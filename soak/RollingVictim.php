<?php

/** Servers that are restarted one after the other, each with nothing in it: never two at once. */

declare(strict_types=1);

namespace RedLock\Soak;

final class RollingVictim implements Victim
{
    private int $next = 0;

    /** @param list<ServerVictim> $servers */
    public function __construct(private readonly array $servers)
    {
    }

    public function suffer(Fault $fault): void
    {
        $this->servers[$this->next]->suffer($fault);
    }

    public function recover(Fault $fault): void
    {
        $this->servers[$this->next]->recover($fault);
        $this->next = ($this->next + 1) % count($this->servers);
    }
}
