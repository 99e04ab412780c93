<?php

/**
 * The classes of the extension redlock, for IDEs and static analysers; LockManager and Lease stand in
 * lease.php. Never load these files: the extension defines the classes.
 *
 * Sources: RedLock follows ronnylt/redlock-php, the PHP version of the algorithm described at
 * https://redis.io/docs/latest/develop/use/patterns/distributed-locks/. PidLock follows the
 * getPidLock() and releasePidLock() that circulate as "SETNX, GET, GETSET with a timestamp".
 */

namespace {
    /**
     * A lock held on a majority of independent Redis or Valkey servers.
     *
     * Its second name is RedLock\RedLock. With the INI setting redlock.global_names=0 that is its
     * only name. Objects cannot be cloned or serialized. What lock() returns is a plain array,
     * which can be stored and sent.
     *
     * The methods declare no return types, so that subclasses of the userland class work as they
     * are. They return what is written here all the same.
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
         * Checks the arguments. Connects only at the first call that needs a server.
         *
         * @param array<Server>|string $servers 1 to 16 different servers, as an array, or in a string with commas. Each is a list
         *     `[host, port, timeout]`, or an array with the keys `host`, `port`, `timeout`, `connectTimeout`, `auth`
         *     (password or [user, password]), `database` and `tls` (true, or an array of PHP's
         *     options such as `cafile`), or a string: `host:port`,
         *     `redis://user:password@host:port/database?timeout=0.5`, `rediss://host` for TLS,
         *     `unix:///path`. Arrays and DSNs of phpredis, Predis, Laravel and Symfony are taken as
         *     they are; docs/operations.md lists what is ignored and what refused. timeout, for
         *     an answer, and connectTimeout are in seconds. Missing, null or 0 means the default.
         *     In a list, a timeout below the defaults counts as the defaults.
         * @param int $retryDelay the longest pause between two attempts, in milliseconds. The real
         *     one is random, between half of it and all of it
         * @param int $retryCount how many attempts lock() makes; less than 1 counts as 1
         * @param array{driftFactor?: int|float, timeout?: int|float|null, connectTimeout?: int|float|null, clientName?: string} $options
         *     driftFactor: how much the rates of two clocks may differ, default 0.01 (1 %);
         *     timeout: for an answer, of servers without one of their own, in seconds, default
         *     0.25; connectTimeout: for connecting, TLS included, default 1, or the timeout where
         *     that is longer; clientName: the name of our connections in CLIENT LIST
         * @throws \ValueError when a server or an option is not valid; the message says which
         * @throws \TypeError when a value has a wrong type
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
         * Takes the lock.
         *
         * The one who has the lock cannot take it a second time: that returns false too. The
         * longest time of the call is connectTimeout, retryCount times the timeout, and the pauses in
         * between. When it is refused after more than one attempt, one more timeout comes on top:
         * it then asks the servers whether the key that stands there has an expiry.
         *
         * @param string|int $resource what to lock. It is the Redis key: at most 65536 bytes, any
         *     bytes
         * @param int $ttl how long the lock lives without unlock(), in milliseconds
         * @return LockHandle|false the handle; its 'validity' is the time in milliseconds for which
         *     you can rely on the lock from now on. False: somebody else has the lock, unless
         *     lastErrors() has an entry 'lock', which gives another reason
         * @throws RedLock\QuorumException when no majority of the servers can be asked
         * @throws \ValueError when the ttl is too small or too large, or the resource is too long
         */
        public function lock(string|int $resource, int $ttl)
        {
        }

        /**
         * Gives the lock back on every server.
         *
         * The extension declares `array $lock`, because subclasses of the userland class declare
         * that, and takes false all the same.
         *
         * @param LockProof|false $lock the array that lock() gave, or any array with its resource
         *     and token. For false, which lock() gives when there is no lock, it returns false and
         *     asks no server
         * @return bool true when a majority confirmed that it deleted our key. False: this is not
         *     certain. Nothing more needs to be done then
         * @throws \ValueError when resource or token is missing or not valid. Never because of a
         *     server
         * @throws \TypeError when the argument, its resource or its token has a wrong type
         */
        public function unlock(array|false $lock)
        {
        }

        /**
         * Lets a lock that is held live for ttl milliseconds from now. It never makes its life
         * shorter.
         *
         * @param LockProof|false $lock the array that lock() or extend() gave; for false it returns
         *     false and asks no server
         * @param int $ttl in milliseconds, from now
         * @return LockHandle|false the handle with its new validity. False: no majority confirmed
         *     that the lock is still yours, so stop. But if lastErrors() has an entry 'lock', the
         *     answers came too late, and the validity from before still counts
         * @throws RedLock\QuorumException when no majority of the servers can be asked. The
         *     validity from before still counts
         * @throws \ValueError when the ttl is too small or too large, or resource or token is
         *     missing or not valid
         * @throws \TypeError when the argument, its resource or its token has a wrong type
         */
        public function extend(array|false $lock, int $ttl)
        {
        }

        /**
         * Asks the servers whether a majority still has the key of this lock.
         *
         * It can still be true when your validity is over, because the servers keep the key a
         * little longer. To decide whether you may go on working, call extend().
         *
         * @param LockProof|false $lock the array that lock() or extend() gave; for false it returns
         *     false and asks no server
         * @return bool true when a majority confirmed it
         * @throws RedLock\QuorumException when no majority of the servers can be asked
         * @throws \ValueError when resource or token is missing or not valid
         * @throws \TypeError when the argument, its resource or its token has a wrong type
         */
        public function isHeld(array|false $lock)
        {
        }

        /**
         * Why servers gave no usable answer in the latest call on this object, and why the call
         * returned false although they did.
         *
         * A call returns as soon as its result is certain. A server that has just stopped is
         * therefore not listed after a call that the others granted. The first later call that
         * finds its answer overdue lists it. When no majority could be asked, every server that
         * gave no vote is listed, also with "no answer yet".
         *
         * The entry 'lock' is about the whole call. It is there only after lock() or extend()
         * returned false, and only if the reason is not that somebody else has the lock: nobody
         * won, or the lock was won or extended too late, or a key without an expiry stands there,
         * which is no lock (this is looked for after more than one attempt). It is there too when a
         * method was given false instead of a lock.
         *
         * @return array<string, string> server => reason. Never a password, a user name or a token
         */
        public function lastErrors()
        {
        }
    }

    /**
     * A lock on one Redis or Valkey server. Its key holds the time at which it ends.
     *
     * All times are in seconds. Its second name is RedLock\PidLock. With the INI setting
     * redlock.global_names=0 that is its only name. Its methods declare no return types either.
     *
     * Every PidLock object of a PHP request can release what another one of the same request took,
     * unless the option 'owner' is 'object'. When an object is destroyed, nothing is released. This
     * class and old code with SETNX, GET and GETSET exclude each other.
     */
    class PidLock
    {
        /**
         * Checks the arguments. Connects only at the first call that needs the server.
         *
         * @param string|array<mixed> $server one server, written as for RedLock
         * @param array{prefix?: string, unit?: 'ms'|'s', mixedFleet?: bool, owner?: 'request'|'object', driftFactor?: int|float|null, timeout?: int|float|null, connectTimeout?: int|float|null, clientName?: string} $options
         *     prefix: how the key begins, default 'lock_pid:'; unit: of the time in the key,
         *     default 'ms'; mixedFleet: true also releases a lock whose time an old client has
         *     overwritten, as long as our own time is not over, default false; owner: who can
         *     release what an object took: every object of the 'request' (default), or only the
         *     'object', for servers that handle many visitors in one process; driftFactor: how much
         *     the rates of two clocks may differ, default 0.01 (1 %); timeout: for an
         *     answer, in seconds, default 0.25; connectTimeout: for connecting, default 1, or the
         *     timeout where that is longer; clientName: the name of our connections in CLIENT LIST
         * @throws \ValueError when the server or an option is not valid; the message says which
         * @throws \TypeError when a value has a wrong type
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
         * The one who has the lock cannot take it a second time: that returns 0. The longest time
         * of the call is connectTimeout, (retry_times + 1) times the timeout, and retry_times times
         * sleep_time.
         *
         * @param string|int $pid what to lock; _getLockKey() makes the Redis key of it
         * @param int|float $lock_timeout seconds after which the lock is free without release,
         *     more than 0
         * @param int|float $sleep_time seconds between two attempts, at most 3600. Those between the
         *     first and the last are up to half of it early or late: clients that began together
         *     must not go on asking together
         * @param int $retry_times attempts after the first one, 0 or more
         * @param int|float $buffer_time seconds that the key lives longer than lock_timeout
         * @return int 1: you have the lock. 0: somebody else has it, or the answer came too late
         *     for lock_timeout; then lastErrors() says so
         * @throws RedLock\ConnectionException when the server cannot be asked
         * @throws RedLock\NotALockException when the key holds something else than a time, or a
         *     time in another unit
         * @throws \ValueError when a time is negative or too large, or the key is too long
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
         * Gives the lock back, if this request has it and more than buffer_time is left of it.
         * Otherwise it is left to expire.
         *
         * @param int|float $buffer_time seconds
         * @return bool always true, also when the server could not be asked; then lastErrors() has
         *     the reason. Only wrong arguments, your signal handlers and your own _getLockKey() can
         *     throw
         * @throws \ValueError when a time is negative or too large, or the key is too long
         */
        public function releasePidLock(string|int $pid, int|float $buffer_time = 0.003)
        {
        }

        /**
         * Asks the server whether this request still has the lock. Once a release was tried it is
         * false, without asking.
         *
         * @return bool
         * @throws RedLock\ConnectionException when the server cannot be asked
         * @throws \ValueError when the key is too long
         */
        public function holdsPidLock(string|int $pid)
        {
        }

        /**
         * For how long you can still rely on the lock, without asking the server: the rest of
         * lock_timeout, less 1 % (option driftFactor) for clocks that run at different rates.
         *
         * @return float seconds. 0.0 when the time is over, when this request did not take the
         *     lock, and when a release was tried, confirmed or not
         */
        public function remainingPidLock(string|int $pid)
        {
        }

        /**
         * Why the server gave no usable answer, or gave it too late, in the latest call on this
         * object that needed the server.
         *
         * @return array<string, string> server => reason. Never a password, a user name or a token.
         *     Empty when the server answered in time, for example that somebody else has the lock
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
     * All exceptions of the extension that are about servers. For wrong arguments it throws PHP's
     * ValueError and TypeError.
     */
    interface Exception extends \Throwable
    {
    }

    /**
     * PidLock's server cannot be asked. The message has the server, the method, how long it was
     * tried, and the reason.
     */
    class ConnectionException extends \RuntimeException implements Exception
    {
        private array $faults = [];

        /**
         * What the trouble was, as a word that a program can compare. The words will not change.
         *
         * - 'resolve': the host name has no address, or no DNS server could be asked
         * - 'refused': nobody listens on this port
         * - 'unreachable': there is no way to this address, or no Unix socket of this path
         * - 'tls': the connection is not encrypted, or the server is not who it should be
         * - 'timeout': no connection within connectTimeout, or no answer within the timeout
         * - 'closed': the connection broke
         * - 'protocol': what answers is not Redis or Valkey
         * - 'auth': no password, a wrong or unwanted one, an unknown user, or protected mode
         * - 'denied by ACL': the user may not use this command or this key
         * - 'scripts': the server runs no scripts, so that it could not take a lock back
         * - 'readonly': the server is a replica
         * - 'loading': the server is still loading its data, or is a replica without its master
         * - 'oom': the server's memory is full
         * - 'busy': the server is busy with a script that does not end
         * - 'misconf': the server cannot save its data, and therefore refuses writes
         * - 'noreplicas': the server has too few replicas, and therefore refuses writes
         * - 'cluster': the server is part of a cluster
         * - 'maxclients': the server has too many clients
         * - 'rejected': any other error; the message has it
         * - 'limit': too much is unanswered on the connection
         * - 'unanswered': the result was certain before this server answered
         *
         * @return array<string, string> server => word. Empty when your own code made the
         *     exception, and when the process forked during the call
         */
        final public function faults(): array
        {
            return $this->faults;
        }
    }

    /**
     * No majority of RedLock's servers can be asked. (When somebody else has the lock, lock()
     * returns false.) The message has the reason of each server that gave no vote.
     */
    class QuorumException extends \RuntimeException implements Exception
    {
        private array $faults = [];

        /**
         * What the trouble was with each server that gave no vote. The words are those of
         * ConnectionException::faults().
         *
         * @return array<string, string> server => word. Empty when your own code made the
         *     exception, and when the process forked during the call
         */
        final public function faults(): array
        {
            return $this->faults;
        }
    }

    /**
     * The key of a PidLock holds something else than a time, or a time in another unit. Nothing was
     * overwritten.
     */
    class NotALockException extends \RuntimeException implements Exception
    {
    }

    /**
     * A Lease can be relied on no more. The message says why: it is over, it was given back, the
     * servers say that it is not yours, or it belongs to the parent of this process.
     */
    class LeaseLostException extends \RuntimeException implements Exception
    {
    }

    /** LockManager::synchronized() waited for as long as it was told, or until that was cancelled. */
    class NotAcquiredException extends \RuntimeException implements Exception
    {
    }

    /** The system has no thread that could keep a lease alive. The lock was given back. */
    class KeepAliveException extends \RuntimeException implements Exception
    {
    }
}
