<?php

/** A private Redis or Valkey server on a free port and in a temporary folder. */

declare(strict_types=1);

namespace RedLock\Harness;

final class RedisServer
{
    public readonly int $port;
    public readonly string $folder;
    private ChildProcess $process;
    /** @var list<string> */
    private array $command;

    /**
     * Starts without waiting for it; see ready().
     *
     * @param array<string, string|int> $options settings as in redis.conf; no persistence unless they say so
     * @param list<string> $users lines of an ACL file
     */
    public function __construct(private array $options = [], array $users = [])
    {
        $this->folder = TempFolder::make();
        $this->port = FreePort::find();
        if ($users !== []) {
            file_put_contents("$this->folder/users.acl", implode("\n", $users) . "\n");
            $this->options['aclfile'] = "$this->folder/users.acl";
        }
        $this->launch();
    }

    public function __destruct()
    {
        FreePort::release($this->port);
    }

    /** @param array<string, string|int> $options */
    public static function start(array $options = [], array $users = []): self
    {
        return (new self($options, $users))->ready();
    }

    /** The environment's REDLOCK_SERVER, or what is installed. */
    public static function program(): string
    {
        return getenv('REDLOCK_SERVER') ?: ChildProcess::find('redis-server') ?? ChildProcess::find('valkey-server')
            ?? throw new \RuntimeException('neither redis-server nor valkey-server is installed');
    }

    private function launch(): void
    {
        $settings = $this->options + [
            'port' => $this->port,
            'bind' => '127.0.0.1',
            'dir' => $this->folder,
            // By it bin/lib/scratch.sh ends a server whose owner was killed.
            'pidfile' => "$this->folder/pid",
            'unixsocket' => $this->unixPath(),
            'save' => '',
            'appendonly' => 'no',
        ];
        $command = [self::program()];
        foreach ($settings as $name => $value) {
            array_push($command, "--$name", ...explode(' ', (string) $value));
        }
        $this->process = new ChildProcess($command, "$this->folder/log");
    }

    /** Waits until it answers, be it with an error. */
    public function ready(): self
    {
        Wait::until(function (): bool {
            if (!$this->process->isRunning()) {
                throw new \RuntimeException("the server ended: " . file_get_contents("$this->folder/log"));
            }
            try {
                $this->client()->call('PING');
            } catch (RespError) {
                return true;
            } catch (\RuntimeException) {
                return false;
            }
            return true;
        }, "a server on port $this->port");
        return $this;
    }

    /** A fresh connection, authenticated where a password is set. */
    public function client(): RespClient
    {
        $client = new RespClient("tcp://127.0.0.1:$this->port");
        if (isset($this->options['requirepass'])) {
            $client->call('AUTH', $this->options['requirepass']);
        }
        return $client;
    }

    public function unixPath(): string
    {
        return "$this->folder/s";
    }

    /** How RedLock names it in messages. */
    public function name(): string
    {
        return "127.0.0.1:$this->port";
    }

    /** @return array{string, int, float} as RedLock wants it */
    public function spec(float $timeout): array
    {
        return ['127.0.0.1', $this->port, $timeout];
    }

    public function kill9(): void
    {
        $this->process->kill();
    }

    /** Starts it again on the same port, after ending it if need be. */
    public function restart(): self
    {
        $this->kill9();
        $this->launch();
        return $this->ready();
    }

    public function stop(): void
    {
        $this->process->signal(SIGSTOP);
        Wait::until(fn (): bool => $this->state() === 'T', 'the server to stop');
    }

    public function cont(): self
    {
        $this->process->signal(SIGCONT);
        return $this;
    }

    public function pid(): int
    {
        return $this->process->pid;
    }

    /** The kernel's letter: T is stopped. */
    private function state(): string
    {
        $stat = (string) @file_get_contents("/proc/{$this->process->pid}/stat");
        return $stat === '' ? 'T' : substr($stat, (int) strrpos($stat, ')') + 2, 1);
    }

    /** How often a command has been called since the last CONFIG RESETSTAT, within scripts too. */
    public function calls(string $command): int
    {
        return $this->commandCalls()[$command] ?? 0;
    }

    /** @return array<string, int> the same of every command that was called */
    public function commandCalls(): array
    {
        $info = $this->client()->call('INFO', 'commandstats');
        preg_match_all('/^cmdstat_(\S+?):calls=(\d+)/m', $info, $matches);
        return array_combine($matches[1], array_map(intval(...), $matches[2]));
    }
}
