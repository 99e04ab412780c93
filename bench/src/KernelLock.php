<?php

declare(strict_types=1);

namespace Bench;

use RuntimeException;

/**
 * A lock without any server: one byte in a named pipe, for which processes of one machine wait in the
 * kernel's own line. What waiting in line can reach at most on a machine.
 */
final class KernelLock
{
    /** @var resource */
    private $pipe;

    public function __construct(string $dir)
    {
        $this->pipe = self::open($dir);
    }

    /**
     * Before any process uses it; the byte stays for as long as the pipe is open somewhere.
     *
     * @return resource
     */
    public static function prepare(string $dir)
    {
        if (!file_exists("$dir/turn") && !posix_mkfifo("$dir/turn", 0600)) {
            throw new RuntimeException("cannot make $dir/turn");
        }
        $pipe = self::open($dir);
        fwrite($pipe, '.');

        return $pipe;
    }

    /** There is one lock, whatever the resource. */
    public function acquire(string $resource): bool
    {
        return fread($this->pipe, 1) === '.';
    }

    public function release(): bool
    {
        return fwrite($this->pipe, '.') === 1;
    }

    /** @return resource */
    private static function open(string $dir)
    {
        $pipe = fopen("$dir/turn", 'r+') ?: throw new RuntimeException("cannot open $dir/turn");
        stream_set_read_buffer($pipe, 0);
        stream_set_chunk_size($pipe, 1);

        return $pipe;
    }
}
