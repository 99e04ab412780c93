<?php

/** Signals that ask a process to end also end its wait for a lock, where its own handlers only set a flag, as a worker's do. */

declare(strict_types=1);

namespace RedLock\Symfony;

use RedLock\LockManager;

/**
 * A wait without an end would outlive them. What the process does without a handler, and its handlers otherwise, stay as they are.
 *
 * @internal
 */
final class EndingSignals
{
    /** SIGINT, SIGQUIT, SIGTERM: the constants are those of pcntl, which may be missing. */
    private const SIGNALS = [2, 3, 15];

    /** @var array<int, array{callable, \Closure}> by signal: the handler from before, and the one that also ends waits */
    private array $handlers = [];

    /**
     * @template T
     * @param callable(): T $wait
     * @return T
     */
    public static function during(callable $wait): mixed
    {
        $signals = new self();
        $signals->add();
        try {
            return $wait();
        } finally {
            $signals->remove();
        }
    }

    private function add(): void
    {
        foreach (\function_exists('pcntl_signal_get_handler') ? self::SIGNALS : [] as $signal) {
            $own = pcntl_signal_get_handler($signal);
            if (is_callable($own)) {
                $handler = static function (mixed ...$arguments) use ($own): void {
                    $own(...$arguments);
                    LockManager::cancelWaits();
                };
                $this->handlers[$signal] = [$own, $handler];
                pcntl_signal($signal, $handler);
            }
        }
    }

    /** A handler that was set meanwhile stays. */
    private function remove(): void
    {
        foreach ($this->handlers as $signal => [$own, $handler]) {
            if (pcntl_signal_get_handler($signal) === $handler) {
                pcntl_signal($signal, $own);
            }
        }
    }
}
