<?php

/**
 * The classes of the extension redlock, for IDEs and static analysers. Never load this file: the
 * extension defines the classes.
 *
 * Sources: RedLock follows ronnylt/redlock-php, the PHP version of the algorithm described at
 * https://redis.io/docs/latest/develop/use/patterns/distributed-locks/. PidLock follows the
 * getPidLock() and releasePidLock() that circulate as "SETNX, GET, GETSET with a timestamp".
 */

namespace {
    /**
     * A lock held on a majority of independent Redis or Valkey servers.
     *
     * Also known as RedLock\RedLock. Objects are neither cloneable nor serializable; lock handles
     * are plain arrays and may travel through queues.
     *
     * @phpstan-type LockHandle array{validity: float, resource: string|int, token: string}
     * @phpstan-type LockProof array{resource: string|int, token: string, ...}
     * @phpstan-type Server string|array{
     *     0?: string, 1?: int|numeric-string|null, 2?: int|float|numeric-string|null,
     *     host?: string, port?: int|numeric-string|null, timeout?: int|float|numeric-string|null,
     *     auth?: string|array{string, string}|null, database?: int|numeric-string|null
     * }
     */
    class RedLock
    {
        /**
         * Checks the arguments; connects only at the first call that needs a server.
         *
         * @param array<Server> $servers 1 to 16 distinct servers: `[host, port, timeout]`, the
         *     same under names plus `auth` (password or [user, password]) and `database`, or a
         *     string: `host:port`, `redis://user:password@host:port/database?timeout=0.5`,
         *     `unix:///path`. A timeout in seconds covers connecting and answering; missing, null
         *     or 0 means the default.
         * @param int $retryDelay pause between two attempts, in milliseconds; the real one is drawn
         *     between half of it and all of it
         * @param int $retryCount attempts; less than 1 counts as 1
         * @param array{driftFactor?: int|float, timeout?: int|float|null, clientName?: string} $options
         *     driftFactor: the part of a ttl that clocks may differ by, 0.01; timeout: seconds for
         *     servers without their own, 0.05; clientName: for CLIENT SETNAME
         * @throws \ValueError for what cannot be meant; names the server's position or the option
         * @throws \TypeError
         */
        public function __construct(
            #[\SensitiveParameter]
            array $servers,
            int $retryDelay = 200,
            int $retryCount = 3,
            array $options = []
        ) {
        }

        /**
         * Takes the lock.
         *
         * @param string|int $resource the Redis key, up to 65536 bytes of any kind
         * @param int $ttl how long the lock lives without unlock(), in milliseconds
         * @return LockHandle|false the handle, with the milliseconds for which the lock may be
         *     trusted from now on; false when a majority answered and somebody else holds it
         * @throws RedLock\QuorumException when no majority of the servers can be asked
         * @throws \ValueError for a ttl that leaves no validity, or a resource beyond its bound
         */
        public function lock(string|int $resource, int $ttl): array|false
        {
        }

        /**
         * Gives the lock back on every server.
         *
         * @param LockProof $lock a handle, or one put together from its resource and token
         * @return bool true when a majority confirmed that the key was this lock's and is deleted
         * @throws \ValueError when a key is missing; never for a server's trouble
         * @throws \TypeError
         */
        public function unlock(array $lock): bool
        {
        }

        /**
         * Makes a held lock live for another ttl milliseconds from now; never shortens it.
         *
         * @param LockProof $lock
         * @return LockHandle|false false when a majority answered and it is no longer this lock's
         * @throws RedLock\QuorumException when no majority of the servers can be asked
         * @throws \ValueError
         * @throws \TypeError
         */
        public function extend(array $lock, int $ttl): array|false
        {
        }

        /**
         * Asks the servers whether a majority still holds this lock.
         *
         * @param LockProof $lock
         * @throws RedLock\QuorumException when no majority of the servers can be asked
         * @throws \ValueError
         * @throws \TypeError
         */
        public function isHeld(array $lock): bool
        {
        }

        /**
         * Why servers gave no plain answer in the latest call on this object.
         *
         * @return array<string, string> server => reason; never a password
         */
        public function lastErrors(): array
        {
        }
    }

    /**
     * A lock on one Redis or Valkey server, whose key holds the time at which it expires.
     *
     * Ownership is kept per request, server and key: any PidLock object of the same request can
     * release. All times are in seconds. Excludes clients that run the classic SETNX, GET, GETSET
     * steps, and is excluded by them.
     */
    class PidLock
    {
        /**
         * Checks the arguments; connects only at the first call that needs the server.
         *
         * @param string|array<mixed> $server one server, in the forms that RedLock takes
         * @param array{prefix?: string, unit?: 'ms'|'s', mixedFleet?: bool, timeout?: int|float|null, clientName?: string} $options
         *     prefix: of the key, 'lock_pid:'; unit: of the stored stamp, 'ms'; mixedFleet: while
         *     the own lease runs, also release a stamp that an old client has overwritten, false;
         *     timeout: seconds for connecting and answering, 0.05; clientName: for CLIENT SETNAME
         * @throws \ValueError
         * @throws \TypeError
         */
        public function __construct(
            #[\SensitiveParameter]
            string|array $server = '127.0.0.1:6379',
            array $options = []
        ) {
        }

        /**
         * Takes the lock.
         *
         * @param string|int $pid what to lock; the key is what _getLockKey() makes of it
         * @param int|float $lock_timeout seconds after which the lock is free without release,
         *     more than 0
         * @param int|float $sleep_time seconds between two attempts, up to 3600
         * @param int $retry_times attempts after the first one
         * @param int|float $buffer_time seconds added to the lease for the way to the server
         * @return int 1 when it is held now, 0 when somebody else holds it
         * @throws RedLock\ConnectionException when the server cannot be asked
         * @throws RedLock\NotALockException when the key holds something that is no timestamp
         * @throws \ValueError
         */
        public function getPidLock(
            string|int $pid,
            int|float $lock_timeout,
            int|float $sleep_time = 0,
            int $retry_times = 0,
            int|float $buffer_time = 0.001
        ): int {
        }

        /**
         * Gives the lock back, if this request holds it and it has more than buffer_time left;
         * otherwise it is left to expire.
         *
         * @return bool always true, also when the server cannot be asked
         * @throws \ValueError for a time that is none
         */
        public function releasePidLock(string|int $pid, int|float $buffer_time = 0.003): bool
        {
        }

        /**
         * Asks the server whether this request still holds the lock.
         *
         * @throws RedLock\ConnectionException when the server cannot be asked
         */
        public function holdsPidLock(string|int $pid): bool
        {
        }

        /**
         * What is left of the lease by the local clock, without asking the server.
         *
         * @return float seconds; 0.0 when it is over or was never held by this request
         */
        public function remainingPidLock(string|int $pid): float
        {
        }

        /**
         * The Redis key of a pid: the option prefix and the pid. Override it to use other keys.
         */
        protected function _getLockKey(string|int $pid): string
        {
        }
    }
}

namespace RedLock {
    \class_alias(\RedLock::class, 'RedLock\\RedLock');

    /**
     * What the extension throws when servers, and not the caller, are at fault.
     */
    interface Exception extends \Throwable
    {
    }

    /**
     * PidLock's server cannot be asked. The message names it, what was tried and for how long.
     */
    class ConnectionException extends \RuntimeException implements Exception
    {
    }

    /**
     * No majority of RedLock's servers can be asked, which is not the same as "somebody else holds
     * the lock". The message has every server's reason.
     */
    class QuorumException extends \RuntimeException implements Exception
    {
    }

    /**
     * The key of a PidLock holds a value that is no timestamp, or has another type than string.
     * Nothing was overwritten.
     */
    class NotALockException extends \RuntimeException implements Exception
    {
    }
}
