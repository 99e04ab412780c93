<?php

/** Which keys are this process's own: those that it acquired, or was handed as data. In a child of a fork a key is a copy. */

declare(strict_types=1);

namespace RedLock\Symfony;

/**
 * Shared by all stores, as keys are. Keys that nobody has any more are forgotten.
 *
 * @internal
 */
final class OwnKeys
{
    /** @var ?\WeakMap<object, int> by key: the process that acquired by it, or used it first */
    private static ?\WeakMap $processes = null;

    public static function add(object $key): void
    {
        self::processes()[$key] = getmypid();
    }

    /** A key that no process is known of was unserialized here, or comes from elsewhere: then it is ours from now on. */
    public static function has(object $key): bool
    {
        return getmypid() === (self::processes()[$key] ??= getmypid());
    }

    /** @return \WeakMap<object, int> */
    private static function processes(): \WeakMap
    {
        return self::$processes ??= new \WeakMap();
    }
}
