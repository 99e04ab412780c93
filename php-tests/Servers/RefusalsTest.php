<?php

/** Configurations that cannot be meant, or would mean something else here: refused by the name of the field. */

declare(strict_types=1);

namespace RedLock\Tests\Servers;

use PidLock;
use RedLock;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\LockManager;
use RedLock\Tests\Support\ServerTestCase;

final class RefusalsTest extends ServerTestCase
{
    private const LATER = 'cannot be used yet';
    private const NO_TLS = 'options of TLS are given for a connection without TLS: its scheme must be tls or rediss';

    /**
     * @dataProvider wrongServers
     * @param class-string<\Error> $type
     */
    public function testTheServerIsRefused(string $type, string $reason, string|array $server): void
    {
        $calls = [
            static fn () => new RedLock([$server]),
            static fn () => new PidLock($server),
            static fn () => new LockManager(['h', $server]),
        ];
        foreach ($calls as $call) {
            $error = self::caught(\Error::class, $call);
            self::assertSame($type, $error::class, $error->getMessage());
            self::assertStringContainsString($reason, $error->getMessage());
            self::assertStringNotContainsString('hunter2', $error->getMessage());
        }
    }

    /** It is a variable that is not set: without it the list would have another majority. */
    public function testAnEmptyPlaceInAStringOfServersIsRefused(): void
    {
        foreach (['10.0.0.1,,10.0.0.3' => 2, '10.0.0.1,10.0.0.2, ' => 3, ',' => 1] as $text => $position) {
            foreach ([RedLock::class, LockManager::class] as $class) {
                $error = self::caught(\ValueError::class, static fn () => new $class($text));
                self::assertStringContainsString("server $position: host must not be empty", $error->getMessage());
            }
        }
    }

    /** @return iterable<string, array{class-string<\Error>, string, string|array<mixed>}> */
    public static function wrongServers(): iterable
    {
        foreach ([...self::together(), ...self::several(), ...self::tls(), ...self::types()] as $name => [$type, $reason, $server]) {
            yield $name => [$type, $reason, is_array($server) ? $server + ['host' => 'h'] : $server];
        }
        yield 'no host' => [\ValueError::class, 'host is missing', ['scheme' => 'tls', 'ssl' => ['verify_peer' => false]]];
        yield 'a host that is null' => [\ValueError::class, 'host is missing', ['host' => null]];
    }

    /** @return array<string, array{class-string<\Error>, string, string|array<mixed>}> */
    private static function together(): array
    {
        $value = \ValueError::class;
        return [
            'two passwords' => [$value, 'password must not be given twice', ['auth' => 'hunter2', 'password' => 'hunter2']],
            'two users' => [$value, 'user must not be given twice', ['auth' => ['u', 'hunter2'], 'username' => 'u']],
            'a user alone' => [$value, 'a user needs a password', ['username' => 'u', 'password' => null]],
            'two databases' => [$value, 'database must not be given twice', ['database' => 1, 'dbindex' => 2]],
            'two timeouts' => [$value, "the URL parameter 'timeout' must not be given twice", ['url' => 'redis://h?timeout=1&timeout=2']],
            'two ports' => [$value, 'port must not be given twice', ['host' => 'tls://h:7000', 'port' => 7000]],
            'two schemes' => [$value, 'scheme must not be given twice with different values', ['host' => 'tls://h', 'scheme' => 'tcp']],
            'a URL of another scheme' => [$value, 'scheme must not be given twice with different values', ['url' => 'tcp://h', 'scheme' => 'tls']],
            'an unknown scheme' => [$value, 'the scheme must be redis', ['scheme' => 'http']],
            'a URL as host' => [$value, 'a whole URL is given as url', ['host' => 'redis://:hunter2@h/1']],
            'a path without its scheme' => [$value, 'path needs the scheme unix', ['path' => '/run/redis.sock']],
            'a socket without a path' => [$value, 'absolute path', ['scheme' => 'unix']],
            'a socket with a relative path' => [$value, 'absolute path', ['scheme' => 'unix', 'path' => 'redis.sock']],
            'a field twice, once in options' => [$value, 'timeout is given twice', ['timeout' => 1, 'options' => ['timeout' => 1]]],
            'options in options' => [$value, 'options is given twice', ['options' => ['options' => []]]],
            'an unknown field' => [$value, "there is no server field 'colour'", ['colour' => 'red']],
            'an unknown field in options' => [$value, "there is no server field 'colour'", ['options' => ['colour' => 'red']]],
            'a prefix' => [$value, 'begin the names of your locks with it', ['prefix' => 'shop_']],
            'a prefix in options' => [$value, 'begin the names of your locks with it', ['options' => ['prefix' => 'shop_']]],
            'a prefix of a DSN' => [$value, 'begin the names of your locks with it', 'redis://h?prefix=shop_'],
            'an unknown parameter' => [$value, "there is no URL parameter 'colour'", 'rediss://u:hunter2@h?colour=red'],
            'what may be a part of a password' => [$value, '%3F', 'redis://u:a?hunter2@h'],
            'a port in a host' => [$value, "host must not contain ':' unless it is an IPv6 address", ['host' => '127.0.0.1:6379']],
            'a password in a host' => [$value, "host must not contain ':' unless it is an IPv6 address", ['host' => 'u:hunter2']],
            'an IPv6 address with a port in a host' => [$value, "host must not contain ':' unless", ['host' => '::1:18101']],
            'an IPv6 address in a URL without brackets' => [$value, 'must stand in brackets', 'redis://::1:18101'],
            'an IPv6 address behind a scheme without brackets' => [$value, 'must stand in brackets', ['host' => 'tls://::1']],
            'an IPv4 address in shorthand' => [$value, 'four decimal numbers', ['host' => '127.1']],
            'an IPv4 address as one number' => [$value, 'four decimal numbers', 'redis://:hunter2@2130706433:6379'],
            'a dot behind an IPv4 address' => [$value, 'without a dot behind it', '127.0.0.1.'],
            'a broken URL' => [$value, 'port must be a number', ['url' => 'redis://:hunter2@h:x']],
        ];
    }

    /** @return array<string, array{class-string<\Error>, string, string|array<mixed>}> */
    private static function several(): array
    {
        $value = \ValueError::class;
        return [
            'Symfony: several hosts' => [$value, 'a server has one host', 'redis:?host[a]&host[b:6379]&host[/var/run/redis.sock:]&auth=hunter2'],
            'Symfony: a cluster' => [$value, 'redis_cluster is for a cluster', 'redis:?host[a]&redis_cluster=1'],
            'Symfony: Sentinel' => [$value, 'redis_sentinel', 'redis:?host[a:26379]&redis_sentinel=mymaster'],
            'Symfony: Sentinel in the options' => [$value, self::LATER, ['redis_sentinel' => 'mymaster']],
            'Symfony: a cluster in the options' => [$value, self::LATER, ['redis_cluster' => true]],
            'Predis: a cluster' => [$value, self::LATER, ['cluster' => 'redis']],
            'Predis: Sentinel' => [$value, self::LATER, ['replication' => 'sentinel', 'service' => 'mymaster']],
            'the scheme of a cluster' => [$value, self::LATER, 'redis+cluster://a,b'],
            'the scheme of Sentinel' => [$value, self::LATER, 'redis+sentinel://:hunter2@a:26379/mymaster'],
            'hosts with commas' => [$value, 'a server has one host', 'rediss://:hunter2@a:1,b:2'],
            'hosts with commas in a field' => [$value, 'a server has one host', ['host' => 'a,b']],
        ];
    }

    /** @return array<string, array{class-string<\Error>, string, string|array<mixed>}> */
    private static function tls(): array
    {
        $value = \ValueError::class;
        $peer = ['verify_peer' => true];
        return [
            'phpredis: ssl without tls://' => [$value, self::NO_TLS, ['ssl' => $peer]],
            'ssl with redis://' => [$value, self::NO_TLS, ['url' => 'redis://h', 'ssl' => $peer]],
            'ssl with tcp' => [$value, self::NO_TLS, ['scheme' => 'tcp', 'ssl' => $peer]],
            'ssl with a socket' => [$value, self::NO_TLS, ['host' => '/run/redis.sock', 'ssl' => $peer]],
            'context without TLS' => [$value, self::NO_TLS, ['context' => ['stream' => $peer]]],
            'a DSN without TLS' => [$value, self::NO_TLS, 'redis://h?ssl[cafile]=/ca.pem'],
            'tls against the scheme' => [$value, 'tls must not be asked for', ['scheme' => 'tcp', 'tls' => true]],
            'the scheme against tls' => [$value, 'tls must not be false', ['scheme' => 'tls', 'tls' => false]],
            'a socket with TLS' => [$value, 'a unix socket has no TLS', ['host' => '/run/redis.sock', 'tls' => true]],
            'a DSN of a socket with TLS' => [$value, 'a unix socket has no TLS', 'rediss:///run/redis.sock'],
            'options twice' => [$value, 'the options of TLS must not be given twice', ['tls' => $peer, 'ssl' => $peer]],
            'an unknown option' => [$value, "there is no option of TLS 'colour'", ['tls' => ['colour' => 'red']]],
            'an unknown option that is null' => [$value, "there is no option of TLS 'colour'", ['tls' => ['colour' => null]]],
            'an option by position' => [$value, 'there is no option of TLS 0', ['tls' => ['/ca.pem']]],
            'a fingerprint' => [$value, "there is no option of TLS 'peer_fingerprint'", ['tls' => ['peer_fingerprint' => 'hunter2']]],
            'whoever signs for himself' => [$value, 'name the server\'s certificate in cafile', ['tls' => ['allow_self_signed' => true]]],
            'a key without a certificate' => [$value, 'local_pk needs a local_cert', ['tls' => ['local_pk' => '/hunter2']]],
            'a passphrase without a key' => [$value, 'passphrase needs a local_cert', ['tls' => ['passphrase' => 'hunter2']]],
            'only methods from before TLS 1.2' => [$value, 'crypto_method must allow TLS 1.2', [
                'tls' => ['crypto_method' => STREAM_CRYPTO_METHOD_TLSv1_1_CLIENT],
            ]],
            'a zero byte in a file name' => [$value, 'cafile must not contain null bytes', ['tls' => ['cafile' => "/a\0b"]]],
            'a file name without end' => [$value, 'cafile must be at most', ['tls' => ['cafile' => '/' . str_repeat('x', 4096)]]],
            'an unsure switch' => [$value, 'verify_peer must be true or false', ['tls' => ['verify_peer' => 'maybe']]],
            'a switch of a DSN' => [$value, 'verify_peer must be 1 or 0', 'rediss://h?ssl[verify_peer]=maybe'],
            'a context of two kinds' => [$value, 'context must have only', ['scheme' => 'tls', 'context' => ['stream' => [], 'cafile' => '/ca.pem']]],
        ];
    }

    /** @return array<string, array{class-string<\Error>, string, string|array<mixed>}> */
    private static function types(): array
    {
        $type = \TypeError::class;
        return [
            'a scheme that is a number' => [$type, 'scheme must be of type string, int given', ['scheme' => 1]],
            'a URL that is an array' => [$type, 'url must be of type string, array given', ['url' => []]],
            'a path that is true' => [$type, 'path must be of type string, bool given', ['path' => true]],
            'a password that is a number' => [$type, 'password must be a password or an array', ['password' => 5]],
            'a user that is an array' => [$type, 'username must be of type string, array given', ['username' => []]],
            'a user in auth that is a number' => [$type, 'the user in auth must be of type string, int given', ['auth' => [5, 'hunter2']]],
            'auth that is empty' => [\ValueError::class, 'auth must be a password or an array', ['auth' => []]],
            'auth with another name' => [\ValueError::class, 'auth must be a password or an array', ['auth' => ['user' => 'u', 'x' => 'hunter2']]],
            'a database that is a fraction' => [$type, 'dbindex must be of type int, float given', ['dbindex' => 1.5]],
            'a timeout that is true' => [$type, 'connectTimeout must be of type int|float, bool given', ['connectTimeout' => true]],
            'a long timeout' => [\ValueError::class, 'connectTimeout must be a number of seconds', ['connectTimeout' => 4000]],
            'ssl that is true' => [$type, 'ssl must be of type array, bool given', ['scheme' => 'tls', 'ssl' => true]],
            'tls that is a fraction' => [$type, 'tls must be of type bool, float given', ['tls' => 1.5]],
            'tls in other words' => [\ValueError::class, 'tls must be true or false', ['tls' => 'tls']],
            'tls that is two' => [\ValueError::class, 'tls must be true or false', ['tls' => 2]],
            'a context that is a text' => [$type, 'context must be of type array, string given', ['context' => 'hunter2']],
            'a stream that is a text' => [$type, 'the stream in context must be of type array', ['context' => ['stream' => 'hunter2']]],
            'options that are a text' => [$type, 'options must be of type array, string given', ['options' => 'fast']],
            'a file that is a list' => [$type, 'cafile must be of type string, array given', ['tls' => ['cafile' => ['/ca.pem']]]],
            'a passphrase that is a number' => [$type, 'passphrase must be of type string, int given', ['tls' => ['passphrase' => 5]]],
            'a switch that is a fraction' => [$type, 'verify_peer must be of type bool, float given', ['tls' => ['verify_peer' => 1.5]]],
            'methods that are a list' => [$type, 'crypto_method must be of type int, array given', ['tls' => ['crypto_method' => []]]],
        ];
    }

    /**
     * @dataProvider serversInPlaceOfTheirList
     * @param array<mixed> $server
     */
    public function testOneServerInPlaceOfTheListIsRefused(string $field, array $server): void
    {
        $classes = ['RedLock::__construct' => RedLock::class, 'RedLock\LockManager::__construct' => LockManager::class];
        foreach ($classes as $method => $class) {
            $error = self::caught(\ValueError::class, static fn () => new $class($server));
            self::assertSame(
                "$method(): Argument #1 (\$servers) must be a list of servers, and '$field' is a field of one: "
                    . 'write [[...]], an array for each server in the list',
                $error->getMessage(),
            );
        }
    }

    /** @return iterable<string, array{string, array<mixed>}> */
    public static function serversInPlaceOfTheirList(): iterable
    {
        yield 'with a password' => ['host', ['host' => 'h', 'password' => 'hunter2']];
        yield 'with a number' => ['host', ['host' => 'h', 'port' => 6379]];
        yield 'of Predis' => ['scheme', ['scheme' => 'tcp', 'host' => 'h']];
        yield 'of Laravel' => ['url', ['url' => null, 'host' => 'h', 'port' => '6379']];
        yield 'all connections of Laravel' => ['client', ['client' => 'phpredis', 'options' => [], 'default' => ['host' => 'h']]];
        yield 'a host by position' => ['auth', ['h', 'auth' => 'hunter2']];
        yield 'in another case' => ['Host', ['Host' => 'h', 'Auth' => 'hunter2']];
        yield 'in another case, by position' => ['PASSWORD', ['h', 'PASSWORD' => 'hunter2']];
        yield 'of an environment' => ['REDIS_PASSWORD', ['REDIS_HOST' => '127.0.0.1', 'REDIS_PASSWORD' => 'hunter2']];
    }

    public function testTwoSpellingsOfOneAddressAreOneServer(): void
    {
        $pairs = [['2001:db8::1', '2001:0DB8:0::1'], ['10.0.0.1', '::ffff:10.0.0.1'], ['127.0.0.1', '0:0::1'], ['localhost', '0.0.0.0']];
        foreach ($pairs as [$one, $other]) {
            foreach ([RedLock::class, LockManager::class] as $class) {
                $error = self::caught(\ValueError::class, static fn () => new $class([['host' => $one], ['host' => $other]]));
                self::assertStringContainsString('must name distinct servers: server 2 is the same as server 1', $error->getMessage());
            }
        }
    }

    public function testAFileCannotBeRelativeToAFolderThatIsGone(): void
    {
        $code = '
            $folder = $args["folder"];
            mkdir($folder);
            chdir($folder);
            rmdir($folder);
            foreach (["/ca.pem", "ca.pem"] as $file) {
                try {
                    new RedLock([["host" => "h", "tls" => ["cafile" => $file]]]);
                    $said[] = "";
                } catch (ValueError $error) {
                    $said[] = $error->getMessage();
                }
            }
            report($said);
        ';
        $said = PhpProcess::run($code, ['folder' => TempFolder::make() . '/gone']);
        self::assertSame('', $said[0]);
        // With threads PHP remembers by itself where each of them stands.
        PHP_ZTS ? self::assertSame('', $said[1]) : self::assertStringEndsWith('cafile is a relative path, and the working directory is gone', $said[1]);
    }
}
