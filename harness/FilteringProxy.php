<?php

/** A proxy that knows few commands, as twemproxy: it hangs up on whoever sends it another one. The work is done by processes/filter.php. */

declare(strict_types=1);

namespace RedLock\Harness;

final class FilteringProxy
{
    private ChildProcess $process;
    public readonly int $port;

    /** @param list<string> $unknown the commands that it does not know */
    public function __construct(int $serverPort, array $unknown)
    {
        $this->process = new ChildProcess([PHP_BINARY, __DIR__ . '/processes/filter.php', (string) $serverPort, ...$unknown]);
        $this->port = (int) $this->process->readLine();
    }

    public function name(): string
    {
        return "127.0.0.1:$this->port";
    }

    public function end(): void
    {
        $this->process->kill();
    }
}
