<?php

declare(strict_types=1);

namespace Bench;

use RedLock\Harness\Fleet;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RedisServer;
use RuntimeException;

/** What every scenario works with: the servers, and the processes that are measured against them. */
final class Lab
{
    public const SERVERS = 5;

    /** A thousand processes connect one after the other. */
    private const SECONDS_TO_START = 120.0;

    /** @var list<RedisServer> */
    public readonly array $servers;

    private Placement $placement = Placement::Free;

    /**
     * @param string $programs the folder of the compiled `limit` and `delay-proxy`
     * @param string $extension the path of redlock.so
     * @param string $dir a private temporary folder
     */
    public function __construct(
        public readonly Settings $settings,
        private readonly string $programs,
        private readonly string $extension,
        private readonly string $dir,
    ) {
        $this->servers = (new Fleet(self::SERVERS, ['loglevel' => 'warning']))->servers;
    }

    /** @return list<int> */
    public function ports(int $count = self::SERVERS): array
    {
        return array_map(static fn (RedisServer $server) => $server->port, array_slice($this->servers, 0, $count));
    }

    /**
     * Holds for the servers from now on, and for the processes started from now on.
     *
     * @param list<RedisServer> $besides servers of a scenario's own
     */
    public function place(Placement $placement, array $besides = []): void
    {
        $this->placement = $placement;
        foreach ([...$this->servers, ...$besides] as $server) {
            exec("taskset -acp {$placement->serverCpus()} {$server->pid()}", $output, $status);
            if ($status !== 0) {
                throw new RuntimeException("taskset cannot place server {$server->name()}");
            }
        }
    }

    /** @param list<int> $ports */
    public function limit(array $ports): LineProcess
    {
        return $this->start(["$this->programs/limit", 'serve', implode(',', $ports)]);
    }

    /**
     * @param list<int> $ports
     * @param float|null $socketSeconds PHP's default_socket_timeout, on which phpredis waits for answers
     */
    public function worker(string $kind, array $ports, int $attempts = 3, ?float $socketSeconds = null): LineProcess
    {
        $settings = $socketSeconds === null ? [] : ['default_socket_timeout' => (string) $socketSeconds];

        return $this->start([...$this->php($settings), dirname(__DIR__) . '/worker.php', $kind,
            implode(',', $ports), (string) $attempts]);
    }

    /**
     * The limit, the native class and the documents' class, side by side on the same servers.
     *
     * @param list<int> $ports
     * @return array<string, LineProcess>
     */
    public function contenders(array $ports): array
    {
        return [
            'limit' => $this->limit($ports),
            'native' => $this->worker('native', $ports),
            'userland' => $this->worker('userland', $ports),
        ];
    }

    /** @param list<int> $ports */
    public function kept(array $ports): LineProcess
    {
        return $this->start([...$this->php(), dirname(__DIR__) . '/kept.php', implode(',', $ports)]);
    }

    /** @param list<int> $ports */
    public function delayProxy(array $ports): LineProcess
    {
        return $this->start(["$this->programs/delay-proxy", (string) Settings::DELAY_US,
            ...array_map(strval(...), $ports)]);
    }

    /** @param list<int> $ports */
    public function contention(
        string $kind,
        array $ports,
        int $clients,
        int $requests,
        int $holdUs,
        int $rampUs = 0,
    ): LineProcess {
        $plan = [implode(',', $ports), (string) $clients, (string) $requests, (string) $holdUs];

        return $this->start(match ($kind) {
            'limit' => ["$this->programs/limit", 'contend', ...$plan, '200'],
            'npm' => ['node', dirname(__DIR__) . '/peers/contend.js', ...$plan],
            default => [...$this->php(), dirname(__DIR__) . '/contend.php', $kind, ...$plan, (string) $rampUs, $this->dir],
        }, self::SECONDS_TO_START);
    }

    /** @param list<int> $ports */
    public function waiter(string $kind, array $ports, int $ttlMs, string $resource = 'bench:killed'): LineProcess
    {
        return $this->start([...$this->php(), dirname(__DIR__) . '/waiter.php', $kind, implode(',', $ports), (string) $ttlMs,
            $resource]);
    }

    public function webSite(int $workers): WebSite
    {
        return new WebSite($this->extension, $this->dir . '/' . bin2hex(random_bytes(3)), $workers);
    }

    /** Those of the peers that bin/bench could fetch. @return list<string> */
    public static function peers(): array
    {
        $folder = (string) getenv('REDLOCK_BENCH_PEERS');
        $files = ['symfony' => 'vendor/symfony/lock/Lock.php', 'npm' => 'node_modules/redlock/redlock.js',
            'symfony-semaphore' => 'vendor/symfony/semaphore/Semaphore.php',
            'funnel' => 'vendor/laravel/framework/src/Illuminate/Redis/Limiters/ConcurrencyLimiter.php'];

        return array_keys(array_filter($files, static fn (string $file) => file_exists("$folder/$file")));
    }

    public function say(string $line): void
    {
        fwrite(STDERR, sprintf("%s  %s\n", date('H:i:s'), $line));
    }

    /** @param list<string> $command */
    private function start(array $command, float $secondsToStart = 30.0): LineProcess
    {
        return new LineProcess(['taskset', '-c', $this->placement->clientCpus(), ...$command], $secondsToStart);
    }

    /**
     * @param array<string, string> $settings for php.ini
     * @return list<string>
     */
    private function php(array $settings = []): array
    {
        return PhpProcess::command(['extension' => $this->extension] + $settings);
    }
}
