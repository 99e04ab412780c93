<?php

declare(strict_types=1);

namespace Bench;

use Redis;
use RedisException;
use RuntimeException;

/** One private Redis or Valkey server on a free port of 127.0.0.1, without persistence. */
final class Server
{
    private const SECONDS_TO_ANSWER = 10;

    public readonly int $port;

    private readonly int $pid;

    /** @var resource */
    private $process;

    public function __construct(string $dir)
    {
        $this->port = self::freePort();
        // setpriv makes the kernel end the server when this process dies, however it dies.
        $command = ['setpriv', '--pdeathsig', 'KILL', self::binary(), '--port', (string) $this->port,
            '--bind', '127.0.0.1', '--dir', $dir, '--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
        $process = proc_open($command, [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w']], $pipes);
        if ($process === false) {
            throw new RuntimeException('cannot start ' . implode(' ', $command));
        }
        $this->process = $process;
        $this->pid = proc_get_status($process)['pid'];
        $this->awaitAnswer();
    }

    public function __destruct()
    {
        posix_kill($this->pid, SIGKILL);
        proc_close($this->process);
    }

    public static function binary(): string
    {
        if (getenv('REDLOCK_SERVER')) {
            return getenv('REDLOCK_SERVER');
        }
        foreach (['redis-server', 'valkey-server'] as $name) {
            foreach (explode(':', (string) getenv('PATH')) as $dir) {
                if (is_executable("$dir/$name")) {
                    return "$dir/$name";
                }
            }
        }
        throw new RuntimeException('neither redis-server nor valkey-server is installed');
    }

    public function runOn(string $cpus): void
    {
        exec("taskset -acp $cpus $this->pid", $output, $status);
        if ($status !== 0) {
            throw new RuntimeException("taskset cannot place server $this->port on CPUs $cpus");
        }
    }

    public function stop(): void
    {
        posix_kill($this->pid, SIGSTOP);
        self::await(fn () => $this->state() === 'T', "server $this->port does not stop");
    }

    public function resume(): void
    {
        posix_kill($this->pid, SIGCONT);
        $this->awaitAnswer();
    }

    public function resetStatistics(): void
    {
        $this->connect()->rawCommand('CONFIG', 'RESETSTAT');
    }

    /** @return array<string, int> calls by command since the statistics were reset */
    public function commandCalls(): array
    {
        $calls = [];
        foreach ($this->connect()->info('commandstats') as $name => $fields) {
            preg_match('/calls=(\d+)/', $fields, $match);
            $calls[substr($name, strlen('cmdstat_'))] = (int) $match[1];
        }

        return $calls;
    }

    private function connect(): Redis
    {
        $redis = new Redis();
        $redis->connect('127.0.0.1', $this->port, 1.0, null, 0, 1.0);

        return $redis;
    }

    private function awaitAnswer(): void
    {
        self::await(function (): bool {
            try {
                // Its own pid proves that nobody else got the port first.
                return (int) $this->connect()->info('server')['process_id'] === $this->pid;
            } catch (RedisException) {
                return false;
            }
        }, "server $this->port does not answer");
    }

    private function state(): string
    {
        preg_match('/\) (\w)/', (string) file_get_contents("/proc/$this->pid/stat"), $match);

        return $match[1] ?? '';
    }

    /** @param callable(): bool $condition */
    private static function await(callable $condition, string $complaint): void
    {
        $deadline = hrtime(true) + self::SECONDS_TO_ANSWER * 1_000_000_000;
        while (!$condition()) {
            if (hrtime(true) > $deadline) {
                throw new RuntimeException($complaint);
            }
            usleep(1000);
        }
    }

    private static function freePort(): int
    {
        $probe = stream_socket_server('tcp://127.0.0.1:0');
        $name = stream_socket_get_name($probe, false);

        return (int) substr($name, strrpos($name, ':') + 1);
    }
}
