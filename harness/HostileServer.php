<?php

/** A server that means harm or is none: whatever is sent to it, it answers with what processes/hostile.php offers. */

declare(strict_types=1);

namespace RedLock\Harness;

final class HostileServer
{
    private ChildProcess $process;
    public readonly int $port;

    public function __construct(string $manner)
    {
        $this->process = new ChildProcess([PHP_BINARY, __DIR__ . '/processes/hostile.php', $manner]);
        $this->port = (int) $this->process->readLine();
    }

    /** @return array{string, int, float} */
    public function spec(float $timeout = 0.3): array
    {
        return ['127.0.0.1', $this->port, $timeout];
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
