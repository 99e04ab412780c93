<?php

/** Arguments that cannot be meant: each is refused by a typed error that says which one it is. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Tests\Support\ServerTestCase;

final class ArgumentsTest extends ServerTestCase
{
    private const SERVERS = [['127.0.0.1', 1, 0.1]];
    private const HOST = ['host' => '127.0.0.1'];

    /** @dataProvider wrongServers */
    public function testTheConstructorRefuses(array $servers, string $named): void
    {
        $thrown = self::caught(\Error::class, static fn () => new RedLock($servers));
        self::assertTrue($thrown instanceof \ValueError || $thrown instanceof \TypeError, $thrown::class);
        self::assertStringContainsStringIgnoringCase($named, $thrown->getMessage());
    }

    /** @return iterable<string, array{list<mixed>, string}> the servers, and what the message must name */
    public static function wrongServers(): iterable
    {
        $good = ['127.0.0.1', 6379];
        yield 'no servers' => [[], '$servers'];
        yield 'a server that is a number' => [[$good, 7], 'server 2'];
        yield 'a server that is an object' => [[$good, new \stdClass()], 'server 2'];
        yield 'a server that is null' => [[null], 'server 1'];
        yield 'an empty tuple' => [[[]], 'server 1'];
        yield 'an empty host' => [[['', 6379]], 'host'];
        yield 'a host that is an array' => [[[[], 6379]], 'host'];
        yield 'a host with a line break' => [[["a\r\nb", 6379]], 'host'];
        yield 'a host with a zero byte' => [[["local\0host", 6379]], 'host'];
        yield 'port 0' => [[['127.0.0.1', 0]], 'port'];
        yield 'port -1' => [[['127.0.0.1', -1]], 'port'];
        yield 'port 70000' => [[['127.0.0.1', 70_000]], 'port'];
        yield 'a port in words' => [[['127.0.0.1', 'redis']], 'port'];
        yield 'a URL with port 70000' => [['redis://127.0.0.1:70000'], 'port'];
        yield 'a URL of another scheme' => [['http://127.0.0.1:6379'], 'scheme'];
        yield 'a URL with an unknown parameter' => [['redis://127.0.0.1:6379?colour=red'], '?'];
        yield 'an unknown field' => [[self::HOST + ['colour' => 'red']], 'colour'];
        yield 'a field by a fourth position' => [[['127.0.0.1', 6379, 0.1, 'secret']], 'auth, database'];
        yield 'fields without a host' => [[['port' => 6379]], 'host'];
        yield 'a negative database' => [[self::HOST + ['database' => -1]], 'database'];
        yield 'auth that is a number' => [[self::HOST + ['auth' => 3.5]], 'auth'];
        yield 'auth of three parts' => [[self::HOST + ['auth' => ['a', 'b', 'c']]], 'auth'];
        yield 'a negative timeout' => [[['127.0.0.1', 6379, -0.1]], 'timeout'];
        yield 'a timeout that is no number' => [[['127.0.0.1', 6379, NAN]], 'timeout'];
        yield 'an infinite timeout' => [[['127.0.0.1', 6379, INF]], 'timeout'];
        yield 'a timeout of ages' => [[['127.0.0.1', 6379, 1e300]], 'timeout'];
        yield 'a timeout in words' => [[['127.0.0.1', 6379, 'soon']], 'timeout'];
        yield 'more servers than 16' => [array_map(static fn (int $p): array => ['127.0.0.1', $p], range(1, 17)), '16'];
    }

    /** @dataProvider theSameServerTwice */
    public function testTheSameServerTwiceIsRefusedByPosition(array $servers, string $position): void
    {
        $thrown = self::caught(\ValueError::class, static fn () => new RedLock($servers));
        self::assertStringContainsString($position, $thrown->getMessage());
    }

    /** @return iterable<string, array{list<mixed>, string}> */
    public static function theSameServerTwice(): iterable
    {
        [$a, $b] = [['127.0.0.1', 6379], ['127.0.0.1', 6380]];
        yield 'as equal tuples' => [[$a, $b, $a], 'server 3'];
        yield 'with another timeout' => [[$b, ['127.0.0.1', 6380, 0.7]], 'server 2'];
        yield 'as tuple and URL' => [[$a, $b, 'redis://127.0.0.1:6379'], 'server 3'];
        yield 'in another database' => [[['127.0.0.1', 6379], 'redis://127.0.0.1:6379/4'], 'server 2'];
        yield 'by another letter case' => [[['localhost', 6379], ['LOCALHOST', 6379]], 'server 2'];
    }

    /** @dataProvider wrongOptions */
    public function testTheOptionIsRefusedByName(array $options, string $named): void
    {
        $thrown = self::caught(\Error::class, static fn () => new RedLock(self::SERVERS, 200, 3, $options));
        self::assertTrue($thrown instanceof \ValueError || $thrown instanceof \TypeError, $thrown::class);
        self::assertStringContainsString($named, $thrown->getMessage());
    }

    /** @return iterable<string, array{array<mixed>, string}> */
    public static function wrongOptions(): iterable
    {
        yield 'an unknown option' => [['retries' => 3], 'retries'];
        yield 'an option by number' => [[0.5], '0'];
        yield 'an option in another letter case' => [['Timeout' => 0.5], 'Timeout'];
        yield 'a negative drift factor' => [['driftFactor' => -0.01], 'driftFactor'];
        yield 'a drift factor that leaves nothing' => [['driftFactor' => 1.0], 'driftFactor'];
        yield 'a drift factor that is no number' => [['driftFactor' => NAN], 'driftFactor'];
        yield 'a drift factor in words' => [['driftFactor' => 'small'], 'driftFactor'];
        yield 'a negative timeout' => [['timeout' => -1], 'timeout'];
        yield 'an infinite timeout' => [['timeout' => INF], 'timeout'];
        yield 'a timeout that is no number' => [['timeout' => NAN], 'timeout'];
        yield 'a client name with a space' => [['clientName' => 'a b'], 'clientName'];
        yield 'a client name with a line break' => [['clientName' => "a\nb"], 'clientName'];
        yield 'a client name that is an array' => [['clientName' => []], 'clientName'];
    }

    /** @dataProvider wrongDelays */
    public function testARetryDelayIsRefusedWhenItIs(int $delay): void
    {
        $thrown = self::caught(\ValueError::class, static fn () => new RedLock(self::SERVERS, $delay));
        self::assertStringContainsString('$retryDelay', $thrown->getMessage());
    }

    /** @return iterable<string, array{int}> */
    public static function wrongDelays(): iterable
    {
        yield 'negative' => [-1];
        yield 'the largest integer' => [PHP_INT_MAX];
        yield 'the smallest integer' => [PHP_INT_MIN];
    }

    /** @dataProvider wrongTtls */
    public function testATtlIsRefusedWhenItIs(int $ttl): void
    {
        $redLock = new RedLock(self::SERVERS, 0, 1);
        foreach ([
            static fn () => $redLock->lock('r', $ttl),
            static fn () => $redLock->extend(['resource' => 'r', 'token' => 't'], $ttl),
        ] as $call) {
            $thrown = self::caught(\ValueError::class, $call);
            self::assertStringContainsString('$ttl', $thrown->getMessage());
        }
    }

    /** @return iterable<string, array{int}> */
    public static function wrongTtls(): iterable
    {
        yield 'zero' => [0];
        yield 'negative' => [-5];
        yield 'one, of which drift leaves nothing' => [1];
        yield 'two, of which drift leaves nothing' => [2];
        yield 'the largest integer' => [PHP_INT_MAX];
        yield 'the smallest integer' => [PHP_INT_MIN];
    }

    public function testAResourceLongerThan64KibIsRefused(): void
    {
        $redLock = new RedLock(self::SERVERS, 0, 1);
        $thrown = self::caught(\ValueError::class, static fn () => $redLock->lock(str_repeat('x', 65_537), 1000));
        self::assertStringContainsString('$resource', $thrown->getMessage());
    }

    /** @dataProvider wrongHandles */
    public function testAHandleIsRefused(array $lock, string $named): void
    {
        $redLock = new RedLock(self::SERVERS, 0, 1);
        foreach ([
            static fn () => $redLock->unlock($lock),
            static fn () => $redLock->extend($lock, 1000),
            static fn () => $redLock->isHeld($lock),
        ] as $call) {
            $thrown = self::caught(\Error::class, $call);
            self::assertTrue($thrown instanceof \ValueError || $thrown instanceof \TypeError, $thrown::class);
            self::assertStringContainsString($named, $thrown->getMessage());
        }
    }

    /** @return iterable<string, array{array<mixed>, string}> */
    public static function wrongHandles(): iterable
    {
        yield 'that is empty' => [[], 'resource'];
        yield 'without resource' => [['token' => 't'], 'resource'];
        yield 'without token' => [['resource' => 'r', 'validity' => 1.0], 'token'];
        yield 'whose token is null' => [['resource' => 'r', 'token' => null], 'token'];
        yield 'whose token is an array' => [['resource' => 'r', 'token' => []], 'token'];
        yield 'whose resource is an array' => [['resource' => [], 'token' => 't'], 'resource'];
        yield 'whose resource is an object' => [['resource' => new \stdClass(), 'token' => 't'], 'resource'];
        yield 'whose resource is too long' => [['resource' => str_repeat('x', 65_537), 'token' => 't'], 'resource'];
        yield 'whose token is too long' => [['resource' => 'r', 'token' => str_repeat('t', 1 << 20)], 'token'];
    }

    /** @dataProvider wrongTypes */
    public function testWrongTypesAreTypeErrors(string $method, array $arguments): void
    {
        $redLock = new RedLock(self::SERVERS, 0, 1);
        $this->expectException(\TypeError::class);
        $redLock->$method(...$arguments);
    }

    /** @return iterable<string, array{string, list<mixed>}> */
    public static function wrongTypes(): iterable
    {
        yield 'a resource that is an array' => ['lock', [[], 1000]];
        yield 'a resource that is null' => ['lock', [null, 1000]];
        yield 'a ttl in words' => ['lock', ['r', 'long']];
        yield 'a handle that is true' => ['unlock', [true]];
        yield 'a handle that is null' => ['unlock', [null]];
        yield 'no handle at all' => ['extend', [null, 1000]];
        yield 'a handle that is a string' => ['extend', ['r', 1000]];
    }

    public function testAnUnknownFieldNamesTheValidOnes(): void
    {
        $thrown = self::caught(\ValueError::class, static fn () => new RedLock([self::HOST + ['pass' => 'x']]));
        self::assertStringEndsWith(
            "there is no server field 'pass'; valid are host, port, timeout, auth, database, tls, url, scheme, path, username, "
                . 'password and others that docs/operations.md lists',
            $thrown->getMessage(),
        );
    }

    public function testWhatLockGaveInsteadOfALockIsGivenBackAsFalse(): void
    {
        $redLock = new RedLock(self::SERVERS, 0, 1);
        self::assertFalse($redLock->unlock(false));
        self::assertFalse($redLock->extend(false, 1000));
        self::assertFalse($redLock->isHeld(false));
        self::assertSame(['lock' => 'false was given instead of a lock'], $redLock->lastErrors());
    }
}
