<?php

/** Ports of 127.0.0.1 on which nobody listens, each this process's own until it is released. */

declare(strict_types=1);

namespace RedLock\Harness;

final class FreePort
{
    /** @var array<int, resource> by port; bound and never listening: the system gives such a port to nobody else */
    private static array $reserved = [];

    /** A server may listen on it (with SO_REUSEADDR), be killed and start again; meanwhile connections are refused. */
    public static function find(): int
    {
        $socket = stream_socket_server('tcp://127.0.0.1:0', flags: STREAM_SERVER_BIND);
        if ($socket === false) {
            throw new \RuntimeException('no free port');
        }
        $port = (int) substr((string) strrchr((string) stream_socket_get_name($socket, false), ':'), 1);
        self::$reserved[$port] = $socket;
        return $port;
    }

    public static function release(int $port): void
    {
        unset(self::$reserved[$port]);
    }
}
