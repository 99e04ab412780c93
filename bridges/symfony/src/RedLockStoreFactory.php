<?php

/** Makes stores from one line of configuration, as Symfony does it from LOCK_DSN and SEMAPHORE_DSN. */

declare(strict_types=1);

namespace RedLock\Symfony;

use RedLock\LockManager;
use Symfony\Component\Lock\Exception\InvalidArgumentException;

final class RedLockStoreFactory
{
    private const FORM = 'redlock[s]://[user:password@]host[:port][,host[:port]...][/database][?parameters]';

    /** What may stand behind the question mark of any store, and LockManager's name for it. */
    private const PARAMETERS = [
        'timeout' => 'timeout',
        'connect_timeout' => 'connectTimeout',
        'drift_factor' => 'driftFactor',
        'client_name' => 'clientName',
    ];

    /** What may stand there of a store for locks alone. */
    private const OF_LOCKS = ['initial_ttl', 'fence'];

    /**
     * "redlock://10.0.0.1,10.0.0.2,10.0.0.3", or redlocks:// for TLS: user, password and database are those of every server.
     * Parameters: initial_ttl, timeout and connect_timeout in seconds, drift_factor, client_name, fence=1 for locks with fences; with TLS also ssl[cafile] and PHP's other
     * options of that kind. What URLs reserve is percent-encoded. "redlock://memory" is a server inside the process, for tests; a host of
     * that name has its port behind it.
     */
    public static function createStore(#[\SensitiveParameter] string $dsn): RedLockStore
    {
        [$locks, $own] = self::read($dsn, self::OF_LOCKS);
        $fenced = $own['fence'] ?? 0.0;
        if (!in_array($fenced, [0.0, 1.0], true)) {
            throw new InvalidArgumentException('The DSN\'s parameter "fence" is neither 0 nor 1');
        }
        return new RedLockStore($locks, ...(isset($own['initial_ttl']) ? ['initialTtl' => $own['initial_ttl']] : []), fenced: $fenced === 1.0);
    }

    /** The same for semaphores, which have neither initial_ttl nor fence. */
    public static function createSemaphoreStore(#[\SensitiveParameter] string $dsn): RedLockSemaphoreStore
    {
        return new RedLockSemaphoreStore(self::read($dsn, [])[0]);
    }

    /**
     * @param list<string> $own parameters of the store
     * @return array{LockManager, array<string, float|string>} and what was given of them
     */
    private static function read(#[\SensitiveParameter] string $dsn, array $own): array
    {
        [$address, $query] = explode('?', $dsn, 2) + [1 => ''];
        if (!preg_match('~^redlock(s)?://(?:([^@/]*)@)?([^@/]+)(?:/(\d*))?$~D', $address, $parts)) {
            throw new InvalidArgumentException('The DSN is not of the form ' . self::FORM);
        }
        [, $secure, $credentials, $hosts, $database] = $parts + [4 => ''];
        [$given, $options] = self::given($query);
        $common = ['database' => (int) $database] + self::tls($secure !== '', $options);
        if ($credentials !== '') {
            $common['auth'] = self::auth($credentials);
        }
        $servers = [];
        foreach (explode(',', $hosts) as $at => $host) {
            $servers[] = self::server($at, $host) + $common;
        }
        $parameters = self::parameters($given, $own);
        $ofStore = array_flip($own);
        try {
            $locks = new LockManager($servers, array_diff_key($parameters, $ofStore));
        } catch (\ValueError|\TypeError $error) {
            throw new InvalidArgumentException('The DSN is not valid: ' . $error->getMessage(), 0, $error);
        }
        return [$locks, array_intersect_key($parameters, $ofStore)];
    }

    /**
     * Not by parse_str(), to which "initial.ttl" is another name of initial_ttl, and the last of two the one that counts.
     *
     * @return array{array<string>, array<string>} parameters by name, and options of TLS by what stands in ssl[...]
     */
    private static function given(#[\SensitiveParameter] string $query): array
    {
        // It may be what is left of a password, so that nothing of it is shown.
        if (str_contains($query, '@')) {
            throw new InvalidArgumentException('The DSN has an "@" behind a "?": a "?" in a password is written %3F, and an "@" in a parameter %40');
        }
        $seen = $given = $options = [];
        foreach (array_filter(explode('&', $query), strlen(...)) as $pair) {
            // It may be a value that lost its name, so that nothing of it is shown.
            if (!str_contains($pair, '=')) {
                throw new InvalidArgumentException('Parameter ' . count($seen) + 1 . ' of the DSN is not name=value');
            }
            [$name, $value] = array_map(urldecode(...), explode('=', $pair, 2));
            if (isset($seen[$name])) {
                throw new InvalidArgumentException("The DSN has the parameter \"$name\" twice");
            }
            $seen[$name] = true;
            if (preg_match('~^ssl\[([^\[\]]+)\]$~D', $name, $option)) {
                $options[$option[1]] = $value;
            } else {
                $given[$name] = $value;
            }
        }
        return [$given, $options];
    }

    /**
     * @param array<string> $options
     * @return array{tls?: true, ssl?: array<string>}
     */
    private static function tls(bool $secure, #[\SensitiveParameter] array $options): array
    {
        if (!$secure && $options !== []) {
            throw new InvalidArgumentException('The DSN has options of TLS, which need the scheme redlocks://');
        }
        return ($secure ? ['tls' => true] : []) + ($options === [] ? [] : ['ssl' => $options]);
    }

    /** @return string|array{string, string} a password, or a user and a password */
    private static function auth(#[\SensitiveParameter] string $credentials): string|array
    {
        [$user, $password] = array_map(rawurldecode(...), explode(':', $credentials, 2)) + [1 => null];
        // "secret@host" and ":secret@host" name no user.
        return match (true) {
            $password === null => $user,
            $user === '' => $password,
            default => [$user, $password],
        };
    }

    /** @return array{host: string, port?: string} */
    private static function server(int $at, #[\SensitiveParameter] string $host): array
    {
        if ($host === 'memory') {
            return ['host' => 'memory://'];
        }
        // The colons of an IPv6 address are in brackets. What is wrong is not shown: it may be a password.
        if (!preg_match('~^(\[[^\]]+\]|[^:\[\]]+)(?::(\d+))?$~D', $host, $parts)) {
            throw new InvalidArgumentException('Server ' . $at + 1 . ' of the DSN is not host or host:port; its form is ' . self::FORM);
        }
        return ['host' => trim($parts[1], '[]')] + (isset($parts[2]) ? ['port' => $parts[2]] : []);
    }

    /**
     * @param array<string> $given
     * @param list<string> $own
     * @return array<string, float|string> by LockManager's names, or the store's own
     */
    private static function parameters(#[\SensitiveParameter] array $given, array $own): array
    {
        $names = array_combine($own, $own) + self::PARAMETERS;
        $parameters = [];
        foreach ($given as $name => $value) {
            if (!isset($names[$name])) {
                throw new InvalidArgumentException("The DSN has the unknown parameter \"$name\"; known are " . implode(', ', array_keys($names)) . ', and ssl[cafile] and the like');
            }
            if ($name !== 'client_name' && !is_numeric($value)) {
                throw new InvalidArgumentException("The DSN's parameter \"$name\" is not a number");
            }
            $parameters[$names[$name]] = $name === 'client_name' ? $value : (float) $value;
        }
        return $parameters;
    }
}
