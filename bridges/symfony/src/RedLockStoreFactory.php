<?php

/** Makes a store from one line of configuration, as Symfony does it from LOCK_DSN. */

declare(strict_types=1);

namespace RedLock\Symfony;

use RedLock\LockManager;
use Symfony\Component\Lock\Exception\InvalidArgumentException;

final class RedLockStoreFactory
{
    private const FORM = 'redlock[s]://[user:password@]host[:port][,host[:port]...][/database][?parameters]';

    /** What may stand behind the question mark, and LockManager's name for it. */
    private const PARAMETERS = [
        'initial_ttl' => null,
        'timeout' => 'timeout',
        'drift_factor' => 'driftFactor',
        'client_name' => 'clientName',
    ];

    /**
     * "redlock://10.0.0.1,10.0.0.2,10.0.0.3", or redlocks:// for TLS: user, password and database are those of every server.
     * Parameters: initial_ttl and timeout in seconds, drift_factor, client_name; with TLS also ssl[cafile] and PHP's other
     * options of that kind. What URLs reserve is percent-encoded.
     */
    public static function createStore(#[\SensitiveParameter] string $dsn): RedLockStore
    {
        [$address, $query] = explode('?', $dsn, 2) + [1 => ''];
        if (!preg_match('~^redlock(s)?://(?:([^@/]*)@)?([^@/]+)(?:/(\d*))?$~D', $address, $parts)) {
            throw new InvalidArgumentException('The DSN is not of the form ' . self::FORM);
        }
        [, $secure, $credentials, $hosts, $database] = $parts + [4 => ''];
        parse_str($query, $given);
        $common = ['database' => (int) $database] + self::tls($secure !== '', $given['ssl'] ?? null);
        unset($given['ssl']);
        if ($credentials !== '') {
            $common['auth'] = self::auth($credentials);
        }
        $hosts = explode(',', $hosts);
        $servers = array_map(static fn (int $at, string $host): array => self::server($at, $host) + $common, array_keys($hosts), $hosts);
        $parameters = self::parameters($given);
        $initialTtl = $parameters['initial_ttl'] ?? null;
        unset($parameters['initial_ttl']);
        try {
            $locks = new LockManager($servers, $parameters);
        } catch (\ValueError|\TypeError $error) {
            throw new InvalidArgumentException('The DSN is not valid: ' . $error->getMessage(), 0, $error);
        }
        return $initialTtl === null ? new RedLockStore($locks) : new RedLockStore($locks, $initialTtl);
    }

    /** @return array{tls?: true, ssl?: array<mixed>} */
    private static function tls(bool $secure, #[\SensitiveParameter] mixed $options): array
    {
        if ($options === null) {
            return $secure ? ['tls' => true] : [];
        }
        if (!$secure || !is_array($options)) {
            throw new InvalidArgumentException('The DSN\'s parameter "ssl" needs the scheme redlocks:// and the name of an option: ssl[cafile]');
        }
        return ['tls' => true, 'ssl' => $options];
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
    private static function server(int $at, string $host): array
    {
        // The colons of an IPv6 address are in brackets. What is wrong is not shown: it may be a password.
        if (!preg_match('~^(\[[^\]]+\]|[^:\[\]]+)(?::(\d+))?$~D', $host, $parts)) {
            throw new InvalidArgumentException('Server ' . $at + 1 . ' of the DSN is not host or host:port; its form is ' . self::FORM);
        }
        return ['host' => trim($parts[1], '[]')] + (isset($parts[2]) ? ['port' => $parts[2]] : []);
    }

    /**
     * @param array<mixed> $given
     * @return array<string, float|string> by LockManager's names, and initial_ttl
     */
    private static function parameters(array $given): array
    {
        $parameters = [];
        foreach ($given as $name => $value) {
            if (!array_key_exists($name, self::PARAMETERS)) {
                throw new InvalidArgumentException("The DSN has the unknown parameter \"$name\"; known are " . implode(', ', array_keys(self::PARAMETERS)));
            }
            if (!is_string($value) || ($name !== 'client_name' && !is_numeric($value))) {
                throw new InvalidArgumentException("The DSN's parameter \"$name\" is not a " . ($name === 'client_name' ? 'name' : 'number'));
            }
            $parameters[self::PARAMETERS[$name] ?? $name] = $name === 'client_name' ? $value : (float) $value;
        }
        return $parameters;
    }
}
