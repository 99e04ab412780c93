<?php

declare(strict_types=1);

namespace Bench;

use RedLock\Harness\Monitor;
use RedLock\Harness\RedisServer;
use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;

/**
 * A line on one server that one connection alone stands in, sending what real waiters send: so it can be of any length
 * without as many processes, which would cost the machine more than they cost the server.
 */
final class StandingLine
{
    private const KEY = 'bench:standing';
    private const CHANNEL = 'bench:channel';
    private const TTL_MS = '600000';

    private readonly RespClient $client;

    private readonly RespClient $listener;

    private int $echo = 0;

    /** @param string $join and $pass: the SHA1s of the scripts */
    private function __construct(RedisServer $server, private readonly string $join, private readonly string $pass)
    {
        $this->client = $server->client();
        $this->listener = $server->client();
        $this->listener->call('SUBSCRIBE', self::CHANNEL);
    }

    /** Watches two processes, one of which waits for the other, for the scripts. */
    public static function learnt(Lab $lab): self
    {
        $server = $lab->servers[0];
        $crew = [$lab->waiter('line', $lab->ports(1), 30_000), $lab->waiter('line', $lab->ports(1), 30_000)];
        $crew[0]->ask('take');
        $monitor = new Monitor($server);
        $crew[1]->tell('take');
        $client = $server->client();
        Wait::until(static fn () => $client->call('ZCARD', 'bench:killed:redlock:line') === 1, 'the one to stand in line');
        $crew[0]->ask('give');
        $crew[1]->answer(10.0);
        $crew[1]->ask('give');
        $scripts = [];
        foreach ($monitor->commands() as $words) {
            if (in_array($words[0], ['EVAL', 'EVALSHA'], true)) {
                $scripts[count($words)] = $words[0] === 'EVAL' ? sha1($words[1]) : $words[1];
            }
        }
        array_map(static fn (LineProcess $process) => $process->end(), $crew);

        // Behind the key a join has six arguments, a pass one.
        return new self($server, $scripts[10], $scripts[5]);
    }

    /** Everybody's first, or one more word; the lock is somebody else's. */
    public function join(int $waiting): void
    {
        $this->client->call('SET', self::KEY, 'holder', 'PX', self::TTL_MS);
        $this->echo++;
        for ($i = 0; $i < $waiting; $i++) {
            $this->client->call('EVALSHA', $this->join, 1, self::KEY, self::token($i), self::TTL_MS, $i, self::CHANNEL, $this->echo, 1);
        }
    }

    /** The lock goes from the first to the last, who gives it back; everybody is told by a message. */
    public function pass(int $waiting): void
    {
        $this->client->call('EVALSHA', $this->pass, 1, self::KEY, 'holder');
        for ($i = 0; $i < $waiting; $i++) {
            do {
                [, , $word] = $this->listener->reply();
            } while ($word !== "granted $this->echo " . self::token($i));
            $this->client->call('EVALSHA', $this->pass, 1, self::KEY, self::token($i));
        }
    }

    /** In both of its keys. */
    public function bytes(): int
    {
        return array_sum(array_map(
            fn (string $key) => $this->client->call('MEMORY', 'USAGE', self::KEY . ":redlock:$key", 'SAMPLES', 0),
            ['line', 'waiters'],
        ));
    }

    private static function token(int $i): string
    {
        return sha1((string) $i);
    }
}
