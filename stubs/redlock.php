<?php

/**
 * The classes of the extension redlock, for IDEs and static analysers; Lease and LockManager are in
 * lease.php and lock_manager.php. Never load these files: the extension defines the classes.
 */

namespace {
    /**
     * A lock held on a majority of independent Redis or Valkey servers.
     *
     * Source: the class of ronnylt/redlock-php, which implements the
     * [algorithm of Redis](https://redis.io/docs/latest/develop/use/patterns/distributed-locks/). As there, the methods
     * declare no return types, so that existing subclasses load.
     *
     * Its second name is RedLock\RedLock; with redlock.global_names=0 in php.ini it is the only one. Objects cannot be cloned
     * or serialized. A lock is a plain array: you can store and send it, and only unlock() releases it. The methods that get a
     * lock accept the false of lock() too: they return false and ask no server.
     *
     * @phpstan-type LockHandle array{validity: float, resource: string|int, token: string}
     * @phpstan-type LockProof array{resource: string|int, token: string, ...}
     * @phpstan-type Server string|array{
     *     0?: string, 1?: int|numeric-string|null, 2?: int|float|numeric-string|null,
     *     host?: string, port?: int|numeric-string|null, timeout?: int|float|numeric-string|null, connectTimeout?: int|float|numeric-string|null,
     *     auth?: string|array<string|null>|null, database?: int|numeric-string|null,
     *     tls?: bool|string|int|array<string, mixed>|null, url?: string|null, scheme?: string|null,
     *     path?: string|null, username?: string|null, password?: string|array<string|null>|null,
     *     ssl?: array<string, mixed>|null, context?: array<string, mixed>|null, ...
     * }
     */
    class RedLock
    {
        /**
         * Checks the arguments. The first call to a server connects.
         *
         * @param array<Server>|string $servers 1 to 16 different servers: an array, or a string with commas. Timeouts are in
         *     seconds; missing, null or 0 means the default. Each server is one of
         *     - a string: `host:port`, `redis://user:password@host:port/database?timeout=0.5`, `rediss://host` for TLS, `unix:///path`
         *     - a list `[host, port, timeout]`; a timeout below the defaults counts as the defaults
         *     - an array with the keys `host`, `port`, `timeout` (for an answer), `connectTimeout`, `auth` (password or
         *       [user, password]), `database` and `tls` (true, or an array of PHP's options such as `cafile`)
         *     - an array or DSN of phpredis, Predis, Laravel or Symfony. docs/operations.md lists which settings are ignored
         *       and which refused
         * @param int $retryDelay the longest pause between two attempts, in milliseconds. The real one is random, between half
         *     of it and all of it
         * @param int $retryCount how many attempts lock() makes; less than 1 counts as 1
         * @param array{driftFactor?: int|float, timeout?: int|float|null, connectTimeout?: int|float|null, clientName?: string} $options
         *     - driftFactor: by how much the rates of two clocks may differ, default 0.01 (1 %)
         *     - timeout: for an answer of a server without a timeout of its own, in seconds, default 0.25
         *     - connectTimeout: for connecting, TLS included, in seconds, default 1, or the timeout if that is longer
         *     - clientName: the name of the connections in CLIENT LIST
         * @throws \ValueError
         * @throws \TypeError
         */
        public function __construct(
            #[\SensitiveParameter]
            array|string $servers,
            int $retryDelay = 200,
            int $retryCount = 3,
            array $options = []
        ) {
        }

        /**
         * Acquires the lock.
         *
         * The call takes at most connectTimeout, retryCount times the timeout, and the pauses between attempts. A refusal after
         * several attempts takes one more timeout.
         *
         * @param string|int $resource what to lock. It is the Redis key: at most 65536 bytes of any kind
         * @param int $ttl how long the lock lives without unlock(), in milliseconds
         * @return LockHandle|false the handle. Its 'validity' says for how many milliseconds from now you can rely on the lock.
         *     False: another client has the lock, or you have it already. If lastErrors() has an entry 'lock', that is the reason
         *     instead
         * @throws RedLock\QuorumException
         * @throws \ValueError ttl out of range, resource too long
         */
        public function lock(string|int $resource, int $ttl)
        {
        }

        /**
         * Releases the lock on every server.
         *
         * The extension declares `array $lock`, as subclasses of the userland class do.
         *
         * @param LockProof|false $lock the array that lock() gave, or any array with its resource and token
         * @return bool true when a majority confirmed that it deleted your key. False: this is not certain, but needs no action
         * @throws \ValueError resource or token missing or not valid. Servers never make unlock() throw
         * @throws \TypeError
         */
        public function unlock(array|false $lock)
        {
        }

        /**
         * Lets a lock that you hold live for ttl milliseconds from now. It never shortens its life.
         *
         * @param LockProof|false $lock the array that lock() or extend() gave
         * @param int $ttl in milliseconds, from now
         * @return LockHandle|false the handle with its new validity. False: no majority confirmed that the lock is still yours,
         *     so stop your work. But if lastErrors() has an entry 'lock', the answers came too late, and the earlier validity
         *     still counts
         * @throws RedLock\QuorumException the earlier validity still counts
         * @throws \ValueError ttl out of range, resource or token missing or not valid
         * @throws \TypeError
         */
        public function extend(array|false $lock, int $ttl)
        {
        }

        /**
         * Asks the servers whether a majority still has the key of this lock.
         *
         * Servers keep the key a little longer than your validity: extend() tells whether you may go on working.
         *
         * @param LockProof|false $lock the array that lock() or extend() gave
         * @return bool true when a majority confirmed it
         * @throws RedLock\QuorumException
         * @throws \ValueError resource or token missing or not valid
         * @throws \TypeError
         */
        public function isHeld(array|false $lock)
        {
        }

        /**
         * Why servers gave no usable answer in the latest call on this object.
         *
         * A call returns as soon as its result is certain, so it may not list a server that has just stopped. After a
         * QuorumException every server without a vote is listed.
         *
         * The entry 'lock' is the reason of the whole call, if a method got false instead of a lock, or if lock() or extend()
         * returned false because
         *
         * - no client won
         * - the lock was acquired or extended too late
         * - the key has no expiry, so it is no lock (lock() asks for this after more than one attempt)
         * - the wait was cancelled
         *
         * @return array<string, string> server => reason
         */
        public function lastErrors()
        {
        }
    }

    /**
     * A lock on one Redis or Valkey server. Its key holds the time at which the lock ends.
     *
     * Source: the functions getPidLock() and releasePidLock() that circulate as "SETNX, GET, GETSET with a timestamp". This
     * class and that code exclude each other.
     *
     * All times are in seconds. Its second name is RedLock\PidLock (see RedLock). Every PidLock object of a PHP request can
     * release what another one acquired, unless the option 'owner' is 'object'. The end of an object releases nothing.
     */
    class PidLock
    {
        /**
         * Checks the arguments. The first call to the server connects.
         *
         * @param string|array<mixed> $server one server, written as for RedLock
         * @param array{prefix?: string, unit?: 'ms'|'s', mixedFleet?: bool, owner?: 'request'|'object', driftFactor?: int|float|null, timeout?: int|float|null, connectTimeout?: int|float|null, clientName?: string} $options
         *     driftFactor, timeout, connectTimeout and clientName as for RedLock, and
         *     - prefix: how the key begins, default 'lock_pid:'
         *     - unit: of the time in the key, default 'ms'
         *     - mixedFleet: true also releases a lock whose time an old client has overwritten, while your own time is not over;
         *       default false
         *     - owner: which objects can release a lock: every one of the 'request' (default), or only the 'object' that acquired
         *       it, for programs that serve many visitors in one process
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
         * Acquires the lock.
         *
         * The call takes at most connectTimeout, (retry_times + 1) times the timeout, and retry_times times sleep_time.
         *
         * @param string|int $pid what to lock; _getLockKey() makes the Redis key of it
         * @param int|float $lock_timeout seconds after which the lock is free without release, more than 0
         * @param int|float $sleep_time seconds between two attempts, at most 3600. Attempts between the first and the last come
         *     up to half of it early or late
         * @param int $retry_times attempts after the first one, 0 or more
         * @param int|float $buffer_time seconds that the key lives longer than lock_timeout
         * @return int 1: you have the lock. 0: another client has it, or you have it already, or the answer came too late for
         *     lock_timeout; then lastErrors() says so
         * @throws RedLock\ConnectionException
         * @throws RedLock\NotALockException
         * @throws \ValueError a time is negative or too large, the key is too long
         */
        public function getPidLock(
            string|int $pid,
            int|float $lock_timeout,
            int|float $sleep_time = 0,
            int $retry_times = 0,
            int|float $buffer_time = 0.001
        ) {
        }

        /**
         * Releases the lock, if this request has it and more than buffer_time of it is left. Otherwise the lock expires.
         *
         * @param int|float $buffer_time seconds
         * @return bool always true. If the server could not be asked, lastErrors() has the reason. Only wrong arguments, your
         *     signal handlers and your own _getLockKey() can throw
         * @throws \ValueError a time is negative or too large, the key is too long
         */
        public function releasePidLock(string|int $pid, int|float $buffer_time = 0.003)
        {
        }

        /**
         * Asks the server whether this request still has the lock. After an attempt to release it the method returns false and
         * asks no server.
         *
         * @return bool
         * @throws RedLock\ConnectionException
         * @throws \ValueError the key is too long
         */
        public function holdsPidLock(string|int $pid)
        {
        }

        /**
         * For how long you can still rely on the lock: the rest of lock_timeout, less 1 % (option driftFactor). Asks no server.
         *
         * @return float seconds. 0.0 when the time is over, when this request did not acquire the lock, and after an attempt to
         *     release it, confirmed or not
         */
        public function remainingPidLock(string|int $pid)
        {
        }

        /**
         * Why the server gave no usable answer, or gave it too late, in the latest call on this object that needed it.
         *
         * @return array<string, string> server => reason. Empty when the server
         *     answered in time, for example that another client has the lock
         */
        public function lastErrors()
        {
        }

        /**
         * The Redis key for a pid: the option prefix, then the pid. Override it to use other keys.
         *
         * @return string
         */
        protected function _getLockKey(string|int $pid)
        {
        }
    }
}

namespace RedLock {
    // In the extension it is the same class. Static analysers do not follow class_alias().
    class RedLock extends \RedLock
    {
    }

    class PidLock extends \PidLock
    {
    }

    /**
     * The interface of all exceptions of the extension. Wrong arguments throw PHP's own ValueError and TypeError.
     */
    interface Exception extends \Throwable
    {
    }

    /**
     * PidLock's server cannot be asked. The message has the server, the method, how long the client tried, and the reason.
     */
    class ConnectionException extends \RuntimeException implements Exception
    {
        private array $faults = [];

        /**
         * The kind of trouble of each server, as a word that will not change. docs/operations.md says more.
         *
         * - 'resolve': the host name has no address
         * - 'refused': no server listens on this port
         * - 'unreachable': no way to this address, or no Unix socket of this path
         * - 'tls': no encryption, or the server does not prove its name
         * - 'timeout': no connection or no answer in time
         * - 'closed': the connection broke
         * - 'protocol': the peer is not Redis or Valkey
         * - 'auth': a missing, wrong or needless password, an unknown user, or protected mode
         * - 'denied by ACL': the user may not use this command or key
         * - 'scripts': the server runs no scripts
         * - 'readonly': the server is a replica
         * - 'loading': the server is loading its data, or is a replica without its master
         * - 'oom': the server's memory is full
         * - 'busy': the server runs a script that does not end
         * - 'misconf': the server cannot save its data
         * - 'noreplicas': the server has too few replicas, or too few of them have the vote
         * - 'cluster': the server is part of a cluster
         * - 'maxclients': the server has too many clients
         * - 'rejected': any other error; the message has it
         * - 'guard': the guard of a LockManager gives the server no vote; the message says why
         * - 'limit': too much is unanswered on the connection
         * - 'unanswered': the result was certain before this server answered
         *
         * @return array<string, string> server => word. Empty when your own code made the exception, and when the process forked
         *     during the call
         */
        final public function faults(): array
        {
            return $this->faults;
        }
    }

    /**
     * No majority of the servers can be asked. The message has the reason of each server that gave no vote.
     */
    class QuorumException extends \RuntimeException implements Exception
    {
        private array $faults = [];

        /**
         * The kind of trouble of each server that gave no vote, in the words of ConnectionException::faults().
         *
         * @return array<string, string> server => word. Empty as there
         */
        final public function faults(): array
        {
            return $this->faults;
        }
    }

    /**
     * The key of a PidLock holds no time, or a time in another unit. Nothing was overwritten.
     */
    class NotALockException extends \RuntimeException implements Exception
    {
    }

    /**
     * A lease cannot be relied on any more. The message says why.
     */
    class LeaseLostException extends \RuntimeException implements Exception
    {
    }

    /** LockManager::synchronized() did not get the lock: its wait is over or was cancelled. */
    class NotAcquiredException extends \RuntimeException implements Exception
    {
    }

    /** The system has no thread that could keep a lease alive. The lock was released. */
    class KeepAliveException extends \RuntimeException implements Exception
    {
    }
}
