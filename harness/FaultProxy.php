<?php

/**
 * Stands between a client and a server and lets the network misbehave on command.
 *
 * The work is done by processes/proxy.php; requests are what the client sends, replies what the server sends.
 */

declare(strict_types=1);

namespace RedLock\Harness;

final class FaultProxy
{
    private ChildProcess $process;
    public readonly int $port;

    public function __construct(int $serverPort)
    {
        $this->process = new ChildProcess([PHP_BINARY, __DIR__ . '/processes/proxy.php', (string) $serverPort]);
        $this->port = (int) $this->process->readLine();
    }

    /** @return array{string, int, float} */
    public function spec(float $timeout): array
    {
        return ['127.0.0.1', $this->port, $timeout];
    }

    /** Lets everything through again. Connections that were cut or half-opened stay so. */
    public function pass(): void
    {
        $this->order('requests pass 0');
        $this->order('replies pass 0');
    }

    public function delay(int $ms): void
    {
        $this->order("requests delay $ms");
        $this->order("replies delay $ms");
    }

    public function dropRequests(): void
    {
        $this->order('requests drop 0');
    }

    public function dropReplies(): void
    {
        $this->order('replies drop 0');
    }

    /** Closes a connection towards both sides once it has carried so many more bytes of replies. */
    public function cutRepliesAfter(int $bytes): void
    {
        $this->order("replies cut $bytes");
    }

    /** Closes a connection towards both sides once it has carried so many more bytes of requests. */
    public function cutRequestsAfter(int $bytes): void
    {
        $this->order("requests cut $bytes");
    }

    public function dripReplies(int $msPerByte): void
    {
        $this->order("replies drip $msPerByte");
    }

    /** Lets go of the server and keeps the client in the belief that all is well. */
    public function halfOpen(): void
    {
        $this->order('requests halfopen 0');
    }

    /** Whoever connects from now on is led to this server; who has a connection keeps it. */
    public function lead(int $serverPort): void
    {
        $this->order("connections lead $serverPort");
    }

    public function end(): void
    {
        $this->process->kill();
    }

    private function order(string $line): void
    {
        $this->process->writeLine($line);
        if ($this->process->readLine() !== 'ok') {
            throw new \RuntimeException("the proxy does not know: $line");
        }
    }
}
