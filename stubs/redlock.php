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
     * Also known as RedLock\RedLock, which is its only name where the INI setting
     * redlock.global_names is 0. Objects are neither cloneable nor serializable; lock handles are
     * plain arrays and may travel through queues.
     *
     * The methods declare no return types to the engine, so that subclasses of the userland class
     * load as they are. What each returns is promised all the same.
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
         *     or 0 means the default. As the third element of a list it only ever gives a server
         *     more than the default: old configurations bound connecting alone with it.
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
         *     trusted from now on; false when a majority answered and the lock was not won: somebody
         *     else holds it, unless lastErrors() has an entry 'lock', which says what else it was
         * @throws RedLock\QuorumException when no majority of the servers can be asked
         * @throws \ValueError for a ttl that leaves no validity, or a resource beyond its bound
         */
        public function lock(string|int $resource, int $ttl)
        {
        }

        /**
         * Gives the lock back on every server.
         *
         * @param LockProof|false $lock a handle, or one put together from its resource and token.
         *     false, which lock() gives when there is no lock, is taken and given back, though the
         *     engine is told `array`: subclasses of the userland class declare that
         * @return bool true when a majority confirmed that the key was this lock's and is deleted
         * @throws \ValueError when a key is missing; never for a server's trouble
         * @throws \TypeError
         */
        public function unlock(array $lock)
        {
        }

        /**
         * Makes a held lock live for another ttl milliseconds from now; never shortens it.
         *
         * @param LockProof|false $lock false gives false
         * @return LockHandle|false false when a majority answered and it is no longer this lock's,
         *     unless lastErrors() has an entry 'lock': then the answers came too late, and the lock
         *     is as valid as it was before
         * @throws RedLock\QuorumException when no majority of the servers can be asked
         * @throws \ValueError
         * @throws \TypeError
         */
        public function extend(array|false $lock, int $ttl)
        {
        }

        /**
         * Asks the servers whether a majority still holds this lock.
         *
         * @param LockProof|false $lock false gives false
         * @return bool
         * @throws RedLock\QuorumException when no majority of the servers can be asked
         * @throws \ValueError
         * @throws \TypeError
         */
        public function isHeld(array|false $lock)
        {
        }

        /**
         * Why servers gave no plain answer in the latest call on this object, and why the call came
         * to nothing though they did.
         *
         * A call returns as soon as its outcome is certain. A server that had not answered by then
         * is listed when it was in trouble before, and always ("no answer yet") when no majority
         * could be asked. So a server that has just stopped is listed by the first call that finds
         * its answer overdue, and not by one that was granted without it before.
         *
         * The entry 'lock' is about the call as a whole, and there only after false: the lock was
         * won by nobody, or was won or extended too late, or false was given instead of a lock. After
         * a lock() that gave false it is missing when somebody else holds the lock.
         *
         * @return array<string, string> server => reason; never a password, a user's name or a token
         */
        public function lastErrors()
        {
        }
    }

    /**
     * A lock on one Redis or Valkey server, whose key holds the time at which it expires.
     *
     * Also known as RedLock\PidLock, which is its only name where the INI setting
     * redlock.global_names is 0. Its methods declare no return types either.
     *
     * Ownership is kept per request, server and key: any PidLock object of the same request can
     * release, unless option 'owner' is 'object'. The destruction of an object releases nothing.
     * All times are in seconds. Excludes clients that run the classic SETNX, GET, GETSET
     * steps, and is excluded by them.
     */
    class PidLock
    {
        /**
         * Checks the arguments; connects only at the first call that needs the server.
         *
         * @param string|array<mixed> $server one server, in the forms that RedLock takes
         * @param array{prefix?: string, unit?: 'ms'|'s', mixedFleet?: bool, owner?: 'request'|'object', driftFactor?: int|float|null, timeout?: int|float|null, clientName?: string} $options
         *     prefix: of the key, 'lock_pid:'; unit: of the stored stamp, 'ms'; mixedFleet: while
         *     the own lease runs, also release a stamp that an old client has overwritten, false;
         *     owner: who can release what an object took, the whole 'request' or only the 'object',
         *     for servers that handle many requests in one process; driftFactor: the part of
         *     lock_timeout by which two clocks may differ, 0.01; timeout: seconds for connecting
         *     and answering, 0.05; clientName: for CLIENT SETNAME
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
         * @return int 1 when it is held now; 0 when somebody else holds it, or when the answer came
         *     too late for the lease: then lastErrors() says so
         * @throws RedLock\ConnectionException when the server cannot be asked
         * @throws RedLock\NotALockException when the key holds something that is no timestamp, or
         *     a timestamp in another unit
         * @throws \ValueError
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
         * Gives the lock back, if this request holds it and it has more than buffer_time left;
         * otherwise it is left to expire.
         *
         * @return bool always true, also when the server cannot be asked; the only exceptions are
         *     wrong arguments and what signal handlers or an overridden _getLockKey() throw
         * @throws \ValueError for a time that is none
         */
        public function releasePidLock(string|int $pid, int|float $buffer_time = 0.003)
        {
        }

        /**
         * Asks the server whether this request still holds the lock; false without asking once
         * its release was tried.
         *
         * @return bool
         * @throws RedLock\ConnectionException when the server cannot be asked
         */
        public function holdsPidLock(string|int $pid)
        {
        }

        /**
         * For how long the lock may still be trusted: what is left of lock_timeout less drift, by
         * the local clock, without asking the server.
         *
         * @return float seconds; 0.0 when it is over, was never held by this request, or its
         *     release was tried, confirmed or not
         */
        public function remainingPidLock(string|int $pid)
        {
        }

        /**
         * Why the server gave no plain answer in the latest call on this object.
         *
         * @return array<string, string> server => reason, never a password; empty when the server
         *     answered plainly, as when somebody else holds the lock
         */
        public function lastErrors()
        {
        }

        /**
         * The Redis key of a pid: the option prefix and the pid. Override it to use other keys.
         *
         * @return string
         */
        protected function _getLockKey(string|int $pid)
        {
        }
    }
}

namespace RedLock {
    \class_alias(\RedLock::class, 'RedLock\\RedLock');
    \class_alias(\PidLock::class, 'RedLock\\PidLock');

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
        private array $faults = [];

        /**
         * What the trouble was, for a program to compare with; the words never change.
         *
         * - 'resolve': the host name has no address
         * - 'refused': nobody listens there
         * - 'unreachable': there is no way there, or no socket of this path
         * - 'timeout': nothing came in time
         * - 'closed': the connection broke
         * - 'protocol': what answers is no Redis
         * - 'auth': no password, or a wrong one, or an unknown user
         * - 'denied by ACL': the user may not use the command or the key
         * - 'readonly': the server is a replica
         * - 'loading': the server loads its data, or is a replica that has lost its master
         * - 'oom': the server's memory is full
         * - 'busy': the server runs a script that does not end
         * - 'misconf': the server cannot save and takes no writes
         * - 'noreplicas': the server has too few replicas and takes no writes
         * - 'cluster': the server belongs to a cluster, and the key to another part of it
         * - 'maxclients': the server has too many clients
         * - 'rejected': the server said no in other words
         * - 'limit': too much was unanswered on the connection already
         * - 'unanswered': the call was decided before this server answered
         *
         * @return array<string, string> server => word; empty in an exception that was not thrown
         *     by the extension, or when the process forked during the call
         */
        final public function faults(): array
        {
            return $this->faults;
        }
    }

    /**
     * No majority of RedLock's servers can be asked, which is not the same as "somebody else holds
     * the lock". The message has the reason of every server that gave no vote.
     */
    class QuorumException extends \RuntimeException implements Exception
    {
        private array $faults = [];

        /**
         * What the trouble was with every server that gave no vote; the words are those of
         * ConnectionException::faults().
         *
         * @return array<string, string> server => word; empty in an exception that was not thrown
         *     by the extension, or when the process forked during the call
         */
        final public function faults(): array
        {
            return $this->faults;
        }
    }

    /**
     * The key of a PidLock holds a value that is no timestamp, or one in another unit, or has
     * another type than string. Nothing was overwritten.
     */
    class NotALockException extends \RuntimeException implements Exception
    {
    }
}
