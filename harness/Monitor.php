<?php

/** Watches every command that reaches one server, through MONITOR. */

declare(strict_types=1);

namespace RedLock\Harness;

final class Monitor
{
    private RespClient $watcher;

    public function __construct(private readonly RedisServer $server)
    {
        $this->watcher = $server->client();
        $this->watcher->call('MONITOR');
    }

    /**
     * The commands since the beginning or the last call, each as its words; those that scripts ran are left out.
     *
     * @return list<list<string>>
     */
    public function commands(): array
    {
        $mark = 'mark-' . bin2hex(random_bytes(4));
        $this->server->client()->call('ECHO', $mark);
        $commands = [];
        while (true) {
            $line = $this->watcher->reply();
            $words = self::words($line);
            if ($words === ['ECHO', $mark]) {
                return $commands;
            }
            if (!preg_match('/^\S+ \[\d+ lua\]/', $line)) {
                $commands[] = $words;
            }
        }
    }

    /** @return list<list<string>> those of commands() that begin with the given word */
    public function commandsNamed(string $name): array
    {
        $named = static fn (array $words): bool => strcasecmp($words[0], $name) === 0;
        return array_values(array_filter($this->commands(), $named));
    }

    /** @return list<string> */
    private static function words(string $line): array
    {
        // Never goes back: a script's text is longer than what it could take back.
        preg_match_all('/"((?:[^"\\\\]++|\\\\.)*+)"/s', (string) strstr($line, ']'), $matches);
        return array_map(stripcslashes(...), $matches[1]);
    }
}
