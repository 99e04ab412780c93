<?php

/** The class as PHP code sees it, and arguments that cannot be meant. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use PidLock;
use ReflectionClass;
use ReflectionMethod;
use RedLock\Tests\Support\ForgetfulPidLock;
use RedLock\Tests\Support\ServerTestCase;
use RedLock\Tests\Support\UntypedPidLock;

final class ApiTest extends ServerTestCase
{
    public function testTheClassIsGlobalAndCanBeExtended(): void
    {
        $class = new ReflectionClass('PidLock');
        self::assertTrue($class->isInternal());
        self::assertFalse($class->isFinal());
    }

    /** @dataProvider signatures */
    public function testTheSignatureIs(string $method, string $expected): void
    {
        $reflection = new ReflectionMethod(PidLock::class, $method);
        $parameters = array_map(static function (\ReflectionParameter $p): string {
            $default = $p->isOptional() ? ' = ' . json_encode($p->getDefaultValue(), JSON_UNESCAPED_SLASHES) : '';
            return $p->getType() . ' $' . $p->getName() . $default;
        }, $reflection->getParameters());
        self::assertSame($expected, '(' . implode(', ', $parameters) . ')');
        $typed = $reflection->hasReturnType() || $reflection->hasTentativeReturnType();
        self::assertFalse($typed, 'subclasses without return types must load without a notice');
    }

    /** @return iterable<string, array{string, string}> */
    public static function signatures(): iterable
    {
        yield '__construct' => ['__construct', '(array|string $server = "127.0.0.1:6379", array $options = [])'];
        yield 'getPidLock' => [
            'getPidLock',
            '(string|int $pid, int|float $lock_timeout, int|float $sleep_time = 0, int $retry_times = 0, '
                . 'int|float $buffer_time = 0.001)',
        ];
        yield 'releasePidLock' => ['releasePidLock', '(string|int $pid, int|float $buffer_time = 0.003)'];
        yield 'holdsPidLock' => ['holdsPidLock', '(string|int $pid)'];
        yield 'remainingPidLock' => ['remainingPidLock', '(string|int $pid)'];
        yield '_getLockKey' => ['_getLockKey', '(string|int $pid)'];
    }

    public function testGetLockKeyIsProtected(): void
    {
        self::assertTrue((new ReflectionMethod(PidLock::class, '_getLockKey'))->isProtected());
    }

    public function testASubclassWithUntypedOverridesLoads(): void
    {
        self::assertSame(7, (new UntypedPidLock())->getPidLock('p', 1));
    }

    /** @dataProvider calls */
    public function testWithoutTheParentsConstructorEveryMethodThrowsAnError(string $method, array $arguments): void
    {
        $this->expectException(\Error::class);
        (new ForgetfulPidLock())->$method(...$arguments);
    }

    /** @return iterable<string, array{string, list<mixed>}> */
    public static function calls(): iterable
    {
        yield 'getPidLock' => ['getPidLock', ['p', 1]];
        yield 'releasePidLock' => ['releasePidLock', ['p']];
        yield 'holdsPidLock' => ['holdsPidLock', ['p']];
        yield 'remainingPidLock' => ['remainingPidLock', ['p']];
    }

    public function testAnObjectCannotBeSerialized(): void
    {
        $this->expectException(\Exception::class);
        serialize(new PidLock());
    }

    public function testAnObjectCannotBeCloned(): void
    {
        $this->expectException(\Error::class);
        clone new PidLock();
    }

    /** @dataProvider wrongConstructions */
    public function testTheConstructorRefuses(string|array $server, array $options, string $named): void
    {
        $thrown = self::caught(\Error::class, static fn () => new PidLock($server, $options));
        self::assertTrue($thrown instanceof \ValueError || $thrown instanceof \TypeError, $thrown::class);
        self::assertStringContainsString($named, $thrown->getMessage());
    }

    /** @return iterable<string, array{string|array<mixed>, array<mixed>, string}> */
    public static function wrongConstructions(): iterable
    {
        $server = '127.0.0.1:6379';
        yield 'an empty server' => ['', [], '$server'];
        yield 'an empty array' => [[], [], '$server'];
        yield 'port 0' => ['127.0.0.1:0', [], 'port'];
        yield 'port 70000' => ['127.0.0.1:70000', [], 'port'];
        yield 'a port in words' => ['127.0.0.1:redis', [], 'port'];
        yield 'a negative timeout' => [['127.0.0.1', 6379, -1], [], 'timeout'];
        yield 'an unknown option' => [$server, ['mixedfleet' => true], 'mixedfleet'];
        yield 'a unit that is not known' => [$server, ['unit' => 'min'], 'unit'];
        yield 'a prefix that is an array' => [$server, ['prefix' => []], 'prefix'];
        yield 'a timeout option that is no number' => [$server, ['timeout' => NAN], 'timeout'];
        yield 'a negative timeout option' => [$server, ['timeout' => -0.1], 'timeout'];
        yield 'mixedFleet in words' => [$server, ['mixedFleet' => 'maybe'], 'mixedFleet'];
    }

    /** @dataProvider wrongTimes */
    public function testGetPidLockRefuses(array $arguments, string $named): void
    {
        $pidLock = new PidLock('127.0.0.1:1');
        $thrown = self::caught(\ValueError::class, static fn () => $pidLock->getPidLock(...$arguments));
        self::assertStringContainsString($named, $thrown->getMessage());
    }

    /** @return iterable<string, array{array<mixed>, string}> */
    public static function wrongTimes(): iterable
    {
        foreach (['zero' => 0, 'negative' => -1, 'NaN' => NAN, 'infinite' => INF, 'absurd' => 1e300] as $how => $time) {
            yield "a lock_timeout that is $how" => [['p', $time], '$lock_timeout'];
        }
        yield 'a lock_timeout of the largest integer' => [['p', PHP_INT_MAX], '$lock_timeout'];
        foreach (['negative' => -0.1, 'NaN' => NAN, 'infinite' => INF, 'absurd' => 1e300] as $how => $time) {
            yield "a sleep_time that is $how" => [['p', 1, $time], '$sleep_time'];
            yield "a buffer_time that is $how" => [['p', 1, 0, 0, $time], '$buffer_time'];
        }
    }

    /** @dataProvider wrongBuffers */
    public function testReleasePidLockRefuses(int|float $buffer): void
    {
        $pidLock = new PidLock('127.0.0.1:1');
        $thrown = self::caught(\ValueError::class, static fn () => $pidLock->releasePidLock('p', $buffer));
        self::assertStringContainsString('$buffer_time', $thrown->getMessage());
    }

    /** @return iterable<string, array{int|float}> */
    public static function wrongBuffers(): iterable
    {
        yield 'a negative buffer_time' => [-0.1];
        yield 'a buffer_time that is NaN' => [NAN];
        yield 'a buffer_time that is infinite' => [INF];
    }

    public function testAKeyLongerThan64KibIsRefused(): void
    {
        $pidLock = new PidLock('127.0.0.1:1');
        $this->expectException(\ValueError::class);
        $pidLock->getPidLock(str_repeat('p', 65_536), 1);
    }

    public function testArgumentsCanBeNamed(): void
    {
        $pidLock = new PidLock(server: '127.0.0.1:' . $this->server()->port, options: []);
        $got = $pidLock->getPidLock(pid: 'p', lock_timeout: 5, sleep_time: 0.01, retry_times: 1, buffer_time: 0.01);
        self::assertSame(1, $got);
        self::assertTrue($pidLock->releasePidLock(pid: 'p', buffer_time: 0.001));
    }
}
