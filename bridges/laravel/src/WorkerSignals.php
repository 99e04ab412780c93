<?php

/** The signals that stop a queue worker also end the wait for a lock of the job that it is at. */

declare(strict_types=1);

namespace RedLock\Laravel;

use RedLock\LockManager;

/**
 * Laravel's handlers only set a flag, which is looked at behind the job.
 *
 * @internal
 */
final class WorkerSignals
{
    private const SIGNALS = [\SIGINT, \SIGQUIT, \SIGTERM];

    /** To be called behind the worker's own handlers: they are called first. */
    public static function endWaits(): void
    {
        foreach (self::SIGNALS as $signal) {
            $own = pcntl_signal_get_handler($signal);
            if (is_callable($own)) {
                pcntl_signal($signal, static function (mixed ...$arguments) use ($own): void {
                    $own(...$arguments);
                    LockManager::cancelWaits();
                });
            }
        }
    }
}
