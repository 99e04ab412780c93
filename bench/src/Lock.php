<?php

declare(strict_types=1);

namespace Bench;

use Redis;

/**
 * What a measuring process needs of a lock: take it, give it back, whatever class is below.
 *
 * A kind is one of `native`, `native-patient`, `userland`, `native-pid`, `userland-pid`; `tls`, by
 * REDLOCK_BENCH_CAFILE; `lease`, whose
 * release waits for its answer, `fenced`, the same with a fence, `ten`, the same of ten resources, `shared`, the same to read, and `scope`,
 * which ends with the variable that holds it; `guarded`, a lease of servers that are checked; `line` and `polling`, leases that are waited for in
 * line and by attempts, `reader`, the same in line and shared, `permit`, one of ten; `symfony`; `symfony-semaphore` and `funnel`, ten permits on one
 * server; `kernel`, without servers;
 * `setnx` and `setnx-sleep`, the lock of document 004 as it polls without and with a pause.
 */
final class Lock
{
    private const TTL_MS = 10000;
    private const CONNECT_SECONDS = 0.05;

    /** Of the kind that gives its servers far more time than they need. */
    private const PATIENT_SECONDS = 0.5;

    /** The documents leave it open; short enough that a waiter does not starve for long. */
    private const PID_LOCK_SLEEP_SECONDS = 0.05;

    /** What acquire() gives where nobody says otherwise. */
    private const LINE_TTL_MS = 30000;

    private const LISTENING_MS = 5;

    /** Of the kinds with permits. */
    public const PERMITS = 10;

    private readonly object $lock;

    /** What the latest acquire() gave: RedLock's array, a lease, or the timestamp lock's resource. */
    private mixed $handle = null;

    /**
     * @param list<int> $ports on 127.0.0.1; a timestamp lock uses the first
     * @param string $dir where the kernel's lock is
     */
    public function __construct(
        private readonly string $kind,
        array $ports,
        private readonly int $attempts,
        string $dir = '',
    ) {
        $servers = array_map(static fn (int $port) => ['127.0.0.1', $port, self::CONNECT_SECONDS], $ports);
        $this->lock = match ($kind) {
            'native' => new \RedLock($servers, 200, $attempts),
            'tls' => new \RedLock(array_map(self::secured(...), $ports), 200, $attempts),
            'lease', 'fenced', 'ten', 'shared', 'scope' => new \RedLock\LockManager($servers),
            'guarded' => new \RedLock\LockManager($servers, ['guard' => ['role', 'eviction', 'identity']]),
            'native-patient' => new \RedLock(self::named($ports), 200, $attempts, ['timeout' => self::PATIENT_SECONDS]),
            'userland' => new Userland\RedLock($servers, 200, $attempts),
            'native-pid' => new \PidLock("127.0.0.1:$ports[0]"),
            'userland-pid' => new Userland\PidLock(self::connect($ports[0])),
            'line', 'polling', 'reader', 'permit' => new \RedLock\LockManager(self::named($ports),
                ['line' => $kind !== 'polling', 'timeout' => self::PATIENT_SECONDS]),
            'symfony' => new Peers\SymfonyLock(array_map(self::connect(...), $ports), self::LINE_TTL_MS),
            'symfony-semaphore' => new Peers\SymfonySemaphore(self::connect($ports[0]), self::PERMITS, self::LINE_TTL_MS),
            'funnel' => new Peers\LaravelFunnel(self::connect($ports[0]), self::PERMITS, self::LINE_TTL_MS),
            'setnx', 'setnx-sleep' => new Userland\SetnxLock(self::connect($ports[0]), self::TTL_MS,
                $kind === 'setnx' ? 0.0 : self::PID_LOCK_SLEEP_SECONDS),
            'kernel' => new KernelLock($dir),
        };
    }

    public function acquire(string $resource): bool
    {
        $this->handle = match ($this->kind) {
            'native', 'native-patient', 'tls', 'userland' => $this->lock->lock($resource, self::TTL_MS),
            'lease', 'guarded', 'scope' => $this->lock->acquire($resource, self::TTL_MS) ?? false,
            'fenced' => $this->lock->acquire($resource, self::TTL_MS, 0, ['fence' => true]) ?? false,
            'shared' => $this->lock->acquireShared($resource, self::TTL_MS) ?? false,
            'ten' => $this->lock->acquireAll(self::ten($resource), self::TTL_MS) ?? false,
            'native-pid', 'userland-pid' => $this->acquireByPid($resource) ? $resource : false,
            'line', 'polling' => $this->lock->acquire($resource, self::LINE_TTL_MS, null) ?? false,
            'reader' => $this->lock->acquireShared($resource, self::LINE_TTL_MS, null) ?? false,
            'permit' => $this->lock->acquirePermit($resource, self::PERMITS, self::LINE_TTL_MS, null) ?? false,
            'symfony', 'symfony-semaphore', 'funnel', 'setnx', 'setnx-sleep', 'kernel' => $this->lock->acquire($resource),
        };

        return $this->handle !== false;
    }

    public function isShared(): bool
    {
        return $this->kind === 'reader';
    }

    /** Opens all connections that it will need. */
    public function warmUp(string $resource): void
    {
        $this->acquire($resource);
        if (in_array($this->kind, ['line', 'reader', 'permit'], true)) {
            $alone = $this->lock->acquire("$resource alone", self::LINE_TTL_MS);
            // In vain, but now it listens.
            $this->lock->acquire("$resource alone", self::LINE_TTL_MS, self::LISTENING_MS);
            $alone?->release();
        }
        $this->release();
    }

    /** False only when the class itself says so: the documents' unlock() returns nothing. */
    public function release(): bool
    {
        $released = match ($this->kind) {
            'native', 'native-patient', 'tls', 'userland' => $this->lock->unlock($this->handle),
            'lease', 'guarded', 'fenced', 'ten', 'shared', 'line', 'polling', 'reader', 'permit' => $this->handle->release(),
            'scope' => ($this->handle = null) === null,
            'native-pid', 'userland-pid' => $this->lock->releasePidLock($this->handle),
            'symfony', 'symfony-semaphore', 'funnel', 'setnx', 'setnx-sleep', 'kernel' => $this->lock->release(),
        };

        return $released !== false;
    }

    /** @return list<string> */
    private static function ten(string $resource): array
    {
        return array_map(static fn (int $place) => "$resource $place", range(1, 10));
    }

    private function acquireByPid(string $resource): bool
    {
        $seconds = self::TTL_MS / 1000;

        return $this->lock->getPidLock($resource, $seconds, self::PID_LOCK_SLEEP_SECONDS, $this->attempts - 1) === 1;
    }

    /**
     * @param list<int> $ports
     * @return list<string>
     */
    private static function named(array $ports): array
    {
        return array_map(static fn (int $port) => "127.0.0.1:$port", $ports);
    }

    /** @return array<string, mixed> */
    private static function secured(int $port): array
    {
        $tls = ['cafile' => (string) getenv('REDLOCK_BENCH_CAFILE')];

        return ['host' => '127.0.0.1', 'port' => $port, 'timeout' => self::PATIENT_SECONDS, 'tls' => $tls];
    }

    private static function connect(int $port): Redis
    {
        $redis = new Redis();
        $redis->connect('127.0.0.1', $port, self::CONNECT_SECONDS);

        return $redis;
    }
}
