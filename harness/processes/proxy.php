<?php

/**
 * The proxy process: argument 1 is the server's port; its own port is its first line of output.
 *
 * Orders come as lines "requests|replies pass|delay|drop|cut|drip|halfopen amount" or "connections lead port" on standard
 * input, and each is answered with "ok" when it is in force. It ends with its standard input.
 */

declare(strict_types=1);

use RedLock\Harness\Processes\Flow;

require __DIR__ . '/Flow.php';

/** One client with its server: two streams and a flow in either direction. */
final class Link
{
    public Flow $requests;
    public Flow $replies;
    public bool $ended = false;

    /**
     * @param resource $client
     * @param ?resource $server null once the link is half open
     */
    public function __construct(public $client, public $server)
    {
        $this->requests = new Flow();
        $this->replies = new Flow();
    }
}

final class Proxy
{
    /** @var array{requests: array{string, int}, replies: array{string, int}} */
    private array $faults = ['requests' => ['pass', 0], 'replies' => ['pass', 0]];
    /** @var array<int, Link> */
    private array $links = [];

    /** @param resource $listener */
    public function __construct(private $listener, private int $serverPort)
    {
    }

    public function run(): void
    {
        while (!feof(STDIN)) {
            $read = $this->readable();
            $write = $except = null;
            stream_select($read, $write, $except, 0, $this->patienceUs());
            foreach ($read as $stream) {
                match (true) {
                    $stream === STDIN => $this->obey(),
                    $stream === $this->listener => $this->accept(),
                    default => $this->receive($stream),
                };
            }
            array_map($this->deliver(...), $this->links);
        }
    }

    /** @return list<resource> */
    private function readable(): array
    {
        $streams = [STDIN, $this->listener];
        foreach ($this->links as $link) {
            if ($link->ended) {
                continue;
            }
            $streams[] = $link->client;
            if ($link->server !== null) {
                $streams[] = $link->server;
            }
        }
        return $streams;
    }

    private function patienceUs(): int
    {
        $wait = 0.2;
        foreach ($this->links as $link) {
            foreach ([$link->requests->nextDue(), $link->replies->nextDue()] as $due) {
                $wait = $due === null ? $wait : min($wait, $due - hrtime(true) / 1e9);
            }
        }
        return max(0, (int) ($wait * 1e6));
    }

    private function obey(): void
    {
        $words = explode(' ', trim((string) fgets(STDIN)));
        if (count($words) !== 3) {
            return;
        }
        [$direction, $fault, $amount] = $words;
        if ($direction === 'connections') {
            $this->serverPort = (int) $amount;
            echo "ok\n";
            return;
        }
        $this->faults[$direction] = [$fault, (int) $amount];
        foreach ($this->links as $link) {
            $link->$direction->restartCount();
            if ($fault === 'halfopen' && $link->server !== null) {
                fclose($link->server);
                $link->server = null;
            }
        }
        echo "ok\n";
    }

    private function accept(): void
    {
        $client = stream_socket_accept($this->listener, 0);
        $server = @stream_socket_client("tcp://127.0.0.1:$this->serverPort");
        if ($client === false || $server === false) {
            return;
        }
        stream_set_blocking($client, false);
        stream_set_blocking($server, false);
        $half = $this->faults['requests'][0] === 'halfopen';
        $this->links[] = new Link($client, $half ? null : $server);
    }

    /** @param resource $stream */
    private function receive($stream): void
    {
        foreach ($this->links as $index => $link) {
            $direction = $stream === $link->client ? 'requests' : ($stream === $link->server ? 'replies' : null);
            if ($direction === null) {
                continue;
            }
            $bytes = @fread($stream, 65536);
            if ($bytes === '' || $bytes === false) {
                // What is still on its way arrives, as it does on a real network.
                $link->ended = true;
            } elseif ($direction === 'replies' || $link->server !== null) {
                $link->$direction->take($bytes, hrtime(true) / 1e9, ...$this->faults[$direction]);
            }
            return;
        }
    }

    private function deliver(Link $link): void
    {
        foreach (['requests' => $link->server, 'replies' => $link->client] as $direction => $target) {
            $bytes = $link->$direction->due(hrtime(true) / 1e9, ...$this->faults[$direction]);
            if ($bytes !== '' && $target !== null) {
                @fwrite($target, $bytes);
            }
            if ($link->$direction->isCut(...$this->faults[$direction])) {
                $this->unlink((int) array_search($link, $this->links, true));
                return;
            }
        }
        if ($link->ended && $link->requests->nextDue() === null && $link->replies->nextDue() === null) {
            $this->unlink((int) array_search($link, $this->links, true));
        }
    }

    private function unlink(int $index): void
    {
        fclose($this->links[$index]->client);
        if ($this->links[$index]->server !== null) {
            fclose($this->links[$index]->server);
        }
        unset($this->links[$index]);
    }
}

$listener = stream_socket_server('tcp://127.0.0.1:0');
echo substr((string) strrchr((string) stream_socket_get_name($listener, false), ':'), 1), "\n";
(new Proxy($listener, (int) $argv[1]))->run();
