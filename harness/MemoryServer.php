<?php

/** A server of memory:// that can do what a RedisServer can, as far as tests without a network of their own ask for it. */

declare(strict_types=1);

namespace RedLock\Harness;

use RedLock\Testing;

final class MemoryServer
{
    private static int $count = 0;
    private readonly string $name;

    public function __construct()
    {
        $this->name = 'memory://s' . ++self::$count;
    }

    /** Whether tests run on these servers. */
    public static function wanted(): bool
    {
        return getenv('REDLOCK_MEMORY') === '1';
    }

    public function ready(): self
    {
        return $this;
    }

    public function client(): MemoryClient
    {
        return new MemoryClient($this->name);
    }

    public function name(): string
    {
        return $this->name;
    }

    /** @return array{host: string, timeout: float} */
    public function spec(float $timeout): array
    {
        return ['host' => $this->name, 'timeout' => $timeout];
    }

    public function kill9(): void
    {
        Testing::refuse($this->name);
        Testing::forget($this->name);
    }

    public function restart(): self
    {
        $this->kill9();
        return $this->cont();
    }

    public function stop(): void
    {
        Testing::silence($this->name);
    }

    public function cont(): self
    {
        Testing::restore($this->name);
        return $this;
    }
}
