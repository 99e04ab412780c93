<?php

/** What users of other clients have in their configuration names a server here, unchanged; nothing is connected to. */

declare(strict_types=1);

namespace RedLock\Tests\Servers;

use PidLock;
use RedLock;
use RedLock\LockManager;
use RedLock\Tests\Support\ServerTestCase;

final class FrameworksTest extends ServerTestCase
{
    /** @dataProvider configurations */
    public function testTheConfigurationNamesTheServer(string $expected, string|array $server): void
    {
        new LockManager([$server]);
        new PidLock($server);
        if (is_string($server)) {
            new LockManager($server);
        }
        // Whoever is named twice is refused by name.
        $twice = self::caught(\ValueError::class, static fn () => new RedLock([$expected, $server]));
        $shown = str_contains($expected, '://') ? $expected : "$expected:6379";
        $shown = preg_match('~:\d+$~', $expected) ? $expected : $shown;
        self::assertStringEndsWith("server 2 is the same as server 1: $shown", $twice->getMessage());
    }

    /** @return iterable<string, array{string, string|array<mixed>}> where the server is, and the configuration */
    public static function configurations(): iterable
    {
        foreach ([...self::phpredis(), ...self::predis(), ...self::laravel(), ...self::symfony(), ...self::ours()] as $name => $case) {
            yield $name => $case;
        }
    }

    /** @return array<string, array{string, string|array<mixed>}> */
    private static function phpredis(): array
    {
        return [
            'phpredis: options of the constructor' => ['127.0.0.1', [
                'host' => '127.0.0.1',
                'port' => 6379,
                'connectTimeout' => 2.5,
                'auth' => ['phpredis', 'phpredis'],
                'backoff' => ['algorithm' => 3, 'base' => 500, 'cap' => 750],
            ]],
            'phpredis: options with TLS' => ['redis.example', [
                'host' => 'tls://redis.example',
                'port' => 6379,
                'connectTimeout' => 2.5,
                'auth' => ['phpredis', 'phpredis'],
                'ssl' => ['verify_peer' => false],
                'persistent' => true,
                'retryInterval' => 100,
                'readTimeout' => 0,
            ]],
            'phpredis: connect(host)' => ['127.0.0.1', ['127.0.0.1']],
            'phpredis: connect(host, port, timeout)' => ['127.0.0.1', ['127.0.0.1', 6379, 2.5]],
            'phpredis: connect() with TLS' => ['127.0.0.1', ['tls://127.0.0.1', 6379]],
            'phpredis: connect() with TLS and no port' => ['127.0.0.1', ['tls://127.0.0.1']],
            'phpredis: connect() to a socket' => ['unix:///tmp/redis.sock', ['/tmp/redis.sock']],
            'phpredis: connect() to a socket by its scheme' => ['unix:///tmp/redis.sock', ['unix:///tmp/redis.sock', -1]],
            'phpredis: auth by name' => ['127.0.0.1', ['host' => '127.0.0.1', 'auth' => ['user' => 'u', 'pass' => 'p']]],
            'phpredis: auth with a password alone' => ['127.0.0.1', ['host' => '127.0.0.1', 'auth' => ['foobared']]],
            'phpredis: auth without a user' => ['127.0.0.1', ['host' => '127.0.0.1', 'auth' => [null, 'foobared']]],
            'phpredis: nothing to say' => ['127.0.0.1', [
                'host' => '127.0.0.1', 'port' => null, 'connectTimeout' => null, 'auth' => null, 'ssl' => null, 'persistent' => null,
            ]],
        ];
    }

    /** @return array<string, array{string, string|array<mixed>}> */
    private static function predis(): array
    {
        return [
            'Predis: named array' => ['10.0.0.1', ['scheme' => 'tcp', 'host' => '10.0.0.1', 'port' => 6379]],
            'Predis: URI' => ['10.0.0.1', 'tcp://10.0.0.1:6379'],
            'Predis: URI with an alias' => ['10.0.0.1', 'tcp://10.0.0.1?alias=first-node'],
            'Predis: URI with a database' => ['127.0.0.1', 'tcp://127.0.0.1:6379?database=15'],
            'Predis: socket' => ['unix:///path/to/redis.sock', ['scheme' => 'unix', 'path' => '/path/to/redis.sock']],
            'Predis: socket as URI' => ['unix:///path/to/redis.sock', 'unix:/path/to/redis.sock'],
            'Predis: TLS' => ['127.0.0.1', [
                'scheme' => 'tls',
                'host' => '127.0.0.1',
                'ssl' => ['cafile' => 'private.pem', 'verify_peer' => true],
            ]],
            'Predis: TLS as URI' => ['127.0.0.1', 'tls://127.0.0.1?ssl[cafile]=private.pem&ssl[verify_peer]=1'],
            'Predis: a client certificate' => ['127.0.0.1', [
                'scheme' => 'tls',
                'host' => '127.0.0.1',
                'ssl' => ['cafile' => 'ca.pem', 'local_cert' => 'client.crt', 'local_pk' => 'client.key', 'verify_peer' => true],
            ]],
            'Predis: rediss URI with user, password and database' => ['redis.example:6380', 'rediss://user:pass@redis.example:6380/2'],
            'Predis: everything' => ['127.0.0.1:6380', [
                'scheme' => 'rediss', 'host' => '127.0.0.1', 'port' => '6380', 'username' => 'u', 'password' => 'p', 'database' => '2',
                'timeout' => '5.0', 'read_write_timeout' => '-1', 'async_connect' => false, 'tcp_nodelay' => true, 'persistent' => true,
                'conn_uid' => 'id_1', 'alias' => 'first', 'weight' => 1, 'protocol' => 2, 'path' => '', 'prefix' => null,
            ]],
        ];
    }

    /** @return array<string, array{string, string|array<mixed>}> */
    private static function laravel(): array
    {
        $default = [
            'url' => null,
            'host' => '127.0.0.1',
            'username' => null,
            'password' => null,
            'port' => '6379',
            'database' => '0',
        ];
        $retries = ['max_retries' => 3, 'backoff_algorithm' => 'decorrelated_jitter', 'backoff_base' => 100, 'backoff_cap' => 1000];
        $host = ['host' => '127.0.0.1', 'password' => 'p', 'port' => 6379, 'database' => 0];
        return [
            'Laravel: the skeleton' => ['127.0.0.1', $default + $retries],
            'Laravel: the framework' => ['127.0.0.1', $default + $retries + ['command_retries' => 0]],
            'Laravel: an empty REDIS_URL' => ['127.0.0.1', ['url' => ''] + $default],
            'Laravel: a REDIS_URL beside the defaults' => ['redis.example:7000', ['url' => 'redis://:p@redis.example:7000/1'] + $default],
            'Laravel: a REDIS_URL with TLS' => ['redis.example:7001', ['url' => 'rediss://default:p@redis.example:7001'] + $default],
            'Laravel: a REDIS_URL whose scheme is told apart' => ['redis.example', ['url' => 'redis://redis.example', 'scheme' => 'tls'] + $default],
            'Laravel: url alone' => ['127.0.0.1', ['url' => 'tcp://127.0.0.1:6379?database=0']],
            'Laravel: url with TLS' => ['127.0.0.1:6380', ['url' => 'tls://user:password@127.0.0.1:6380?database=1']],
            'Laravel: scheme' => ['127.0.0.1', ['scheme' => 'tls'] + $host],
            'Laravel: TLS in the host' => ['127.0.0.1', ['host' => 'tls://127.0.0.1'] + $host],
            'Laravel: TLS in both' => ['127.0.0.1', ['host' => 'tls://127.0.0.1', 'scheme' => 'TLS'] + $host],
            'Laravel: context without anything' => ['127.0.0.1', $host + ['read_timeout' => 60, 'context' => []]],
            'Laravel: context with stream and auth' => ['127.0.0.1', ['host' => 'tls://127.0.0.1', 'password' => null, 'context' => [
                'auth' => ['username', 'secret'],
                'stream' => ['verify_peer' => false],
            ]] + $host],
            'Laravel: context with ssl' => ['127.0.0.1', ['scheme' => 'tls', 'context' => ['ssl' => ['verify_peer' => false]]] + $host],
            'Laravel: context that is flat' => ['127.0.0.1', ['scheme' => 'tls', 'context' => ['verify_peer' => false]] + $host],
            'Laravel: password as a pair' => ['127.0.0.1', ['password' => ['u', 'p']] + $host],
            'Laravel: options of a connection' => ['127.0.0.1', $host + ['options' => ['read_timeout' => 10.0, 'serializer' => 2, 'prefix' => '']]],
            'Laravel: all that phpredis takes' => ['127.0.0.1', $host + [
                'name' => 'shop', 'persistent' => true, 'persistent_id' => 'x', 'prefix' => null, 'read_timeout' => 60, 'retry_interval' => 0,
                'timeout' => 0.0, 'tcp_keepalive' => 60, 'compression' => 3, 'compression_level' => 1, 'pack_ignore_numbers' => true, 'scan' => 1,
            ]],
            'Laravel: socket' => ['unix:///run/redis.sock', ['scheme' => 'unix', 'path' => '/run/redis.sock'] + $default],
        ];
    }

    /** @return array<string, array{string, string|array<mixed>}> */
    private static function symfony(): array
    {
        $options = [
            'class' => null, 'auth' => null, 'persistent' => 0, 'persistent_id' => null, 'timeout' => 30, 'read_timeout' => 0,
            'retry_interval' => 0, 'tcp_keepalive' => 0, 'lazy' => null, 'redis_cluster' => false, 'redis_sentinel' => null, 'dbindex' => 0,
            'failover' => 'none', 'ssl' => null,
        ];
        return [
            'Symfony: host' => ['localhost', 'redis://localhost'],
            'Symfony: host and port' => ['my.server.com', 'redis://my.server.com:6379'],
            'Symfony: database' => ['my.server.com', 'redis://my.server.com:6379/20'],
            'Symfony: password and timeout' => ['localhost', 'redis://abcdef@localhost?timeout=5'],
            'Symfony: socket' => ['unix:///var/run/redis.sock', 'redis:///var/run/redis.sock'],
            'Symfony: socket with a password' => ['unix:///var/run/redis.sock', 'redis://bad-pass@/var/run/redis.sock'],
            'Symfony: socket with a database' => ['unix:///var/run/redis.sock', 'redis://secret@/var/run/redis.sock/13'],
            'Symfony: the short form' => ['redis1', 'redis:?host[redis1:6379]&dbindex=3'],
            'Symfony: the short form with credentials' => ['redis1', 'redis:myusername:verysecurepassword@?host[redis1:6379]&dbindex=3'],
            'Symfony: auth as a parameter' => ['host', 'redis://host?auth[]=myusername&auth[]=verysecurepassword'],
            'Symfony: TLS' => ['my.server.com', 'rediss://user:pass@my.server.com:6379?ssl[verify_peer]=0&ssl[cafile]=/etc/ca.pem'],
            'Symfony: Valkey' => ['my.server.com', 'valkeys://my.server.com?persistent_id=shop&read_timeout=0&lazy=1&retry_interval=0'],
            'Symfony: a DSN and its options' => ['localhost', ['url' => 'redis://localhost:6379'] + $options],
        ];
    }

    /** @return array<string, array{string, string|array<mixed>}> */
    private static function ours(): array
    {
        return [
            'redlock: tls' => ['10.0.0.1', ['host' => '10.0.0.1', 'tls' => true]],
            'redlock: tls as a variable of the environment' => ['10.0.0.1', ['host' => '10.0.0.1', 'tls' => 'true']],
            'redlock: no tls' => ['10.0.0.1', ['host' => '10.0.0.1', 'tls' => false]],
            'redlock: tls with options' => ['10.0.0.1', ['host' => '10.0.0.1', 'tls' => [
                'cafile' => '/ca.pem', 'capath' => '', 'local_cert' => '/c.pem', 'local_pk' => '/k.pem', 'passphrase' => 'p', 'peer_name' => 'n',
                'verify_peer' => '1', 'verify_peer_name' => 0, 'ciphers' => null, 'allow_self_signed' => true, 'SNI_enabled' => true,
                'crypto_method' => STREAM_CRYPTO_METHOD_TLS_CLIENT,
            ]]],
            'redlock: tls whoever answers' => ['10.0.0.1', ['10.0.0.1', 'tls' => ['verify_peer' => false, 'allow_self_signed' => true]]],
            'redlock: IPv6 in brackets' => ['[::1]:7000', ['host' => 'tls://[::1]', 'port' => 7000]],
        ];
    }

    /** @dataProvider plainConfigurations */
    public function testItsCredentialsAndDatabaseAreThoseOfTheConnection(string|array $server): void
    {
        $started = $this->server([], ['user default on nopass ~* &* +@all', 'user locker on >p+w/d ~* +@all']);
        $fill = static fn (mixed $value): mixed => is_string($value) ? strtr($value, ['PORT' => (string) $started->port]) : $value;
        $server = is_array($server) ? array_map($fill, $server) : $fill($server);
        self::assertSame(1, (new PidLock($server))->getPidLock('p', 10));
        $client = $started->client();
        self::assertStringContainsString('user=locker', $client->call('CLIENT', 'LIST'));
        $client->call('SELECT', 3);
        self::assertNotNull($client->call('GET', 'lock_pid:p'));
    }

    /** @return iterable<string, array{string|array<mixed>}> PORT stands for the server's own */
    public static function plainConfigurations(): iterable
    {
        $pair = ['locker', 'p+w/d'];
        $host = ['host' => '127.0.0.1', 'port' => 'PORT', 'database' => '3'];
        yield 'phpredis' => [$host + ['auth' => $pair, 'connectTimeout' => 1]];
        yield 'phpredis by name' => [$host + ['auth' => ['user' => 'locker', 'pass' => 'p+w/d']]];
        yield 'Predis' => [$host + ['scheme' => 'tcp', 'username' => 'locker', 'password' => 'p+w/d']];
        yield 'Predis URI' => ['tcp://127.0.0.1:PORT?database=3&username=locker&password=p%2Bw/d'];
        yield 'Laravel' => [$host + ['url' => null, 'username' => 'locker', 'password' => 'p+w/d', 'timeout' => 0.0]];
        yield 'Laravel with a context' => [$host + ['context' => ['auth' => $pair]]];
        yield 'Laravel with a URL' => [['url' => 'redis://locker:p+w%2Fd@127.0.0.1:PORT/3', 'host' => 'elsewhere', 'port' => '1', 'database' => '0']];
        yield 'Symfony' => ['redis://locker:p+w%2Fd@127.0.0.1:PORT/3'];
        yield 'Symfony with a parameter' => ['redis:?host[127.0.0.1:PORT]&dbindex=3&auth[]=locker&auth[]=p%2Bw/d'];
        yield 'Symfony with options' => [['url' => 'valkey://127.0.0.1:PORT', 'dbindex' => 3, 'auth' => $pair]];
    }
}
