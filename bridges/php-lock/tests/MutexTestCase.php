<?php

/** Tests of the mutex share five servers per class, and mostly use three of them. */

declare(strict_types=1);

namespace RedLock\PhpLock\Tests;

use Composer\Autoload\ClassLoader;
use RedLock\Harness\ChildProcess;
use RedLock\LockManager;
use RedLock\PhpLock\RedLockMutex;
use RedLock\Tests\Support\SharedFleetTestCase;

abstract class MutexTestCase extends SharedFleetTestCase
{
    protected const KEY = 'php-malkusch-lock:r';

    protected static function mutex(float $acquireTimeout = 20.0, float $expireTimeout = \INF, int $servers = 3): RedLockMutex
    {
        return new RedLockMutex(new LockManager(self::$fleet->specs($servers)), 'r', $acquireTimeout, $expireTimeout);
    }

    /**
     * A process that finds a mutex of the same servers in $mutex, and what it is given in $args.
     *
     * @param array<mixed> $args
     */
    protected function process(string $code, array $args = []): ChildProcess
    {
        $autoload = dirname((new \ReflectionClass(ClassLoader::class))->getFileName(), 2) . '/autoload.php';
        $prelude = '
            require $args["autoload"];
            $mutex = new RedLock\PhpLock\RedLockMutex($args["servers"], "r", 60.0);
        ';
        return $this->php($prelude . $code, $args + ['autoload' => $autoload, 'servers' => self::$fleet->specs(3)]);
    }

    /** What servers remember of a line outlives a lock that nobody released by some seconds. */
    protected static function isFree(): bool
    {
        return array_filter(self::$fleet->values(self::KEY, 3)) === [];
    }

    /** Takes the lock away behind its owner's back. */
    protected static function steal(): void
    {
        self::$fleet->each(static fn ($client) => $client->call('DEL', self::KEY));
    }
}
