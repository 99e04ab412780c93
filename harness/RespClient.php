<?php

/** A plain client for Redis and Valkey, so that nothing here depends on what is being tested or on phpredis. */

declare(strict_types=1);

namespace RedLock\Harness;

final class RespClient
{
    /** @var resource */
    private $stream;

    public function __construct(string $address, float $timeout = 5.0)
    {
        $stream = @stream_socket_client($address, $errno, $error, $timeout);
        if ($stream === false) {
            throw new \RuntimeException("$address: $error");
        }
        $this->stream = $stream;
        stream_set_timeout($stream, (int) $timeout, (int) (fmod($timeout, 1.0) * 1e6));
    }

    /** Sends a command and gives its answer; an error answer is thrown. */
    public function call(string|int|float ...$words): mixed
    {
        $this->send(...$words);
        return $this->reply();
    }

    public function send(string|int|float ...$words): void
    {
        $bytes = '*' . count($words) . "\r\n";
        foreach ($words as $word) {
            $bytes .= '$' . strlen((string) $word) . "\r\n$word\r\n";
        }
        fwrite($this->stream, $bytes);
    }

    public function reply(): mixed
    {
        $line = fgets($this->stream);
        if ($line === false || !str_ends_with($line, "\r\n")) {
            throw new \RuntimeException('the server gave no answer');
        }
        $rest = substr($line, 1, -2);
        switch ($line[0]) {
            case '+':
                return $rest;
            case '-':
                throw new RespError($rest);
            case ':':
                return (int) $rest;
            case '$':
                return (int) $rest < 0 ? null : substr($this->bytes((int) $rest + 2), 0, -2);
            case '*':
                $items = [];
                for ($i = 0; $i < (int) $rest; ++$i) {
                    $items[] = $this->reply();
                }
                return $items;
        }
        throw new \RuntimeException("not an answer: $line");
    }

    private function bytes(int $count): string
    {
        $bytes = '';
        while (strlen($bytes) < $count) {
            $more = fread($this->stream, $count - strlen($bytes));
            if ($more === false || $more === '') {
                throw new \RuntimeException('the server broke off');
            }
            $bytes .= $more;
        }
        return $bytes;
    }
}
