<?php

/** Ports of 127.0.0.1 on which nobody listens. */

declare(strict_types=1);

namespace RedLock\Harness;

final class FreePort
{
    /** @var array<int, true> those given out, so that no two callers get the same one */
    private static array $given = [];

    public static function find(): int
    {
        do {
            $socket = stream_socket_server('tcp://127.0.0.1:0');
            if ($socket === false) {
                throw new \RuntimeException('no free port');
            }
            $port = (int) substr((string) strrchr((string) stream_socket_get_name($socket, false), ':'), 1);
            fclose($socket);
        } while (isset(self::$given[$port]));
        self::$given[$port] = true;
        return $port;
    }
}
