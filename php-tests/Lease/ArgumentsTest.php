<?php

/** What LockManager and Lease do not take, and how they say so. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\LockManager;
use RedLock\Tests\Support\LeaseTestCase;

final class ArgumentsTest extends LeaseTestCase
{
    private const HANDLE = ['validity' => 1000.0, 'resource' => 'r', 'token' => 't'];

    /**
     * @dataProvider badServers
     * @param class-string<\Throwable> $type
     */
    public function testBadServersAndOptionsAreRefused(string $type, string $message, mixed $servers, array $options = []): void
    {
        $error = self::caught($type, static fn () => new LockManager($servers, $options));
        self::assertSame("RedLock\\LockManager::__construct(): Argument $message", $error->getMessage());
    }

    /** @return iterable<string, array> */
    public static function badServers(): iterable
    {
        $one = [['127.0.0.1', 6379]];
        $value = \ValueError::class;
        $type = \TypeError::class;
        yield 'no server' => [$value, '#1 ($servers) must not be empty', []];
        yield 'the same twice' => [$value, '#1 ($servers) must name distinct servers: server 2 is the same as server 1: h:1', ['h:1', 'h:1']];
        yield 'a number' => [$type, '#1 ($servers) must be of type array|string, int given', 7];
        yield 'a server that is a number' => [$type, '#1 ($servers) must contain valid servers: server 1: a server must be of type array or string, int given', [7]];
        yield 'unknown option' => [$value, '#2 ($options) must not contain the unknown option \'ttl\'', $one, ['ttl' => 1]];
        yield 'unknown position' => [$value, '#2 ($options) must not contain the unknown option 0', $one, ['x']];
        yield 'negative delay' => [$value, '#2 ($options) must be valid: retryDelay must be between 0 and 3600000 ms', $one, ['retryDelay' => -1]];
        yield 'endless delay' => [$value, '#2 ($options) must be valid: retryDelay must be between 0 and 3600000 ms', $one, ['retryDelay' => 3_600_001]];
        yield 'delay of a wrong type' => [$type, '#2 ($options) must be valid: retryDelay must be of type int, bool given', $one, ['retryDelay' => true]];
        yield 'no keeping' => [$value, '#2 ($options) must be valid: keepAliveMax must be greater than 0', $one, ['keepAliveMax' => 0]];
        yield 'keeping for ever' => [$value, '#2 ($options) must be valid: keepAliveMax must be at most 3153600000000 ms', $one, ['keepAliveMax' => PHP_INT_MAX]];
        yield 'line of a wrong type' => [$type, '#2 ($options) must be valid: line must be of type bool, int given', $one, ['line' => 1]];
        yield 'no line at all' => [$type, '#2 ($options) must be valid: line must be of type bool, null given', $one, ['line' => null]];
        yield 'drift' => [$value, '#2 ($options) must be valid: driftFactor must be at least 0 and less than 1', $one, ['driftFactor' => 1]];
        yield 'timeout' => [$value, '#2 ($options) must be valid: timeout must be a number of seconds between 0 and 3600', $one, ['timeout' => -1]];
        yield 'client name' => [$value, '#2 ($options) must be valid: clientName must be printable ASCII without spaces', $one, ['clientName' => 'a b']];
    }

    /**
     * @dataProvider badCalls
     * @param class-string<\Throwable> $type
     */
    public function testBadArgumentsAreRefusedAndTakeNothing(string $type, string $message, \Closure $call): void
    {
        $error = self::caught($type, static fn () => $call(self::locks(3, ['keepAliveMax' => 60_000])));
        self::assertSame("RedLock\\LockManager::$message", $error->getMessage());
        self::assertSame(0, self::$fleet->keyCount());
    }

    /** @return iterable<string, array> */
    public static function badCalls(): iterable
    {
        $value = \ValueError::class;
        $type = \TypeError::class;
        $acquire = static fn (mixed ...$arguments): \Closure => static fn (LockManager $locks) => $locks->acquire(...$arguments);
        $options = static fn (array $options): \Closure => $acquire('r', 1000, 0, $options);
        yield 'ttl of nothing' => [$value, 'acquire(): Argument #2 ($ttl) must be greater than 0', $acquire('r', 0)];
        yield 'ttl without end' => [$value, 'acquire(): Argument #2 ($ttl) must be at most 3153600000000 ms', $acquire('r', PHP_INT_MAX)];
        yield 'ttl of drift' => [$value, 'acquire(): Argument #2 ($ttl) is too small: clock drift leaves no validity', $acquire('r', 2)];
        yield 'negative wait' => [$value, 'acquire(): Argument #3 ($wait) must be greater than or equal to 0', $acquire('r', 1000, -1)];
        yield 'long name' => [$value, 'acquire(): Argument #1 ($resource) must be at most 65536 bytes long', $acquire(str_repeat('r', 65_537))];
        yield 'an array' => [$type, 'acquire(): Argument #1 ($resource) must be of type string|int, array given', $acquire(['r'])];
        yield 'unknown option' => [$value, "acquire(): Argument #4 (\$options) must not contain the unknown option 'keepalive'", $options(['keepalive' => true])];
        yield 'ttl as an option' => [$value, "acquire(): Argument #4 (\$options) must not contain the unknown option 'ttl'", $options(['ttl' => 1])];
        yield 'keepAlive of a wrong type' => [$type, 'acquire(): Argument #4 ($options) must be valid: keepAlive must be of type bool, int given', $options(['keepAlive' => 1])];
        yield 'interrupt of a wrong type' => [$type, 'acquire(): Argument #4 ($options) must be valid: interrupt must be of type bool, null given', $options(['interrupt' => null])];
        yield 'reentrant of a wrong type' => [$type, 'acquire(): Argument #4 ($options) must be valid: reentrant must be of type bool, string given', $options(['reentrant' => 'yes'])];
        yield 'owner of a wrong type' => [$type, 'acquire(): Argument #4 ($options) must be valid: owner must be of type string, int given', $options(['owner' => 7])];
        yield 'nobody' => [$value, 'acquire(): Argument #4 ($options) must be valid: owner must not be empty', $options(['owner' => ''])];
        yield 'a long owner' => [$value, 'acquire(): Argument #4 ($options) must be valid: owner must be at most 256 bytes long', $options(['owner' => str_repeat('o', 257)])];
        yield 'another end' => [$value, "acquire(): Argument #4 (\$options) must be valid: atEnd must be 'release' or 'keep', 'stay' given", $options(['atEnd' => 'stay'])];
        yield 'keepAlive for too short' => [$value, 'acquire(): Argument #2 ($ttl) must be at most keepAliveMax, 60000 ms, to be kept alive', $acquire('r', 60_001, 0, ['keepAlive' => true])];

        $synchronized = static fn (mixed ...$arguments): \Closure => static fn (LockManager $locks) => $locks->synchronized(...$arguments);
        $nothing = static fn () => self::fail('it was called');
        yield 'none of several' => [$value, 'synchronized(): Argument #1 ($resource) must have 1 to 16 resources, 0 given', $synchronized([], $nothing)];
        yield 'one of several twice' => [$value, 'synchronized(): Argument #1 ($resource) must not name a resource twice', $synchronized(['a', 'a'], $nothing)];
        yield 'no name' => [$type, 'synchronized(): Argument #1 ($resource) must be of type array|string|int, null given', $synchronized(null, $nothing)];
        yield 'no function' => [$type, 'synchronized(): Argument #2 ($critical) must be a valid callback, function "nobody" not found or invalid function name', $synchronized('r', 'nobody')];
        yield 'negative wait of synchronized' => [$value, 'synchronized(): Argument #4 ($wait) must be greater than or equal to 0', $synchronized('r', $nothing, 1000, -1)];
        yield 'option of synchronized' => [$value, "synchronized(): Argument #5 (\$options) must not contain the unknown option 'x'", $synchronized('r', $nothing, 1000, 0, ['x' => 1])];
        yield 'synchronized keeps alive' => [$value, 'synchronized(): Argument #3 ($ttl) must be at most keepAliveMax, 60000 ms, to be kept alive', $synchronized('r', $nothing, 60_001)];

        foreach (['inspect', 'owner', 'forceRelease'] as $method) {
            $long = static fn (LockManager $locks) => $locks->$method(str_repeat('r', 65_537));
            yield "a long name for $method" => [$value, "$method(): Argument #1 (\$resource) must be at most 65536 bytes long", $long];
        }
    }

    /**
     * @dataProvider badHandles
     * @param class-string<\Throwable> $type
     */
    public function testBadHandlesAreRefused(string $type, string $message, array $handle, array $options = []): void
    {
        $error = self::caught($type, static fn () => self::locks(3, ['keepAliveMax' => 60_000])->attach($handle, $options));
        self::assertSame("RedLock\\LockManager::attach(): Argument $message", $error->getMessage());
    }

    /** @return iterable<string, array> */
    public static function badHandles(): iterable
    {
        $value = \ValueError::class;
        $type = \TypeError::class;
        foreach (['validity', 'resource', 'token'] as $key) {
            yield "without $key" => [$value, "#1 (\$handle) must have the key \"$key\", which is missing", array_diff_key(self::HANDLE, [$key => 0])];
        }
        yield 'validity as text' => [$type, '#1 ($handle) must have an int or float under "validity", string given', ['validity' => '1'] + self::HANDLE];
        yield 'validity that is no number' => [$value, '#1 ($handle) must have a validity of at most 3153600000000 ms', ['validity' => NAN] + self::HANDLE];
        yield 'validity for ever' => [$value, '#1 ($handle) must have a validity of at most 3153600000000 ms', ['validity' => 1e13] + self::HANDLE];
        yield 'resource of another kind' => [$type, '#1 ($handle) must have a string or int under "resource", float given', ['resource' => 7.5] + self::HANDLE];
        yield 'token of another kind' => [$type, '#1 ($handle) must have a string under "token", int given', ['token' => 7] + self::HANDLE];
        yield 'no token' => [$value, '#1 ($handle) must be a usable handle: token must not be empty', ['token' => ''] + self::HANDLE];
        yield 'owner' => [$value, '#2 ($options) must be valid: owner is an option of acquire() and synchronized() only', self::HANDLE, ['owner' => 'o']];
        yield 'reentrant' => [$value, '#2 ($options) must be valid: reentrant is an option of acquire() and synchronized() only', self::HANDLE, ['reentrant' => true]];
        yield 'unknown' => [$value, "#2 (\$options) must not contain the unknown option 'wait'", self::HANDLE, ['wait' => 1]];
        yield 'ttl' => [$value, '#2 ($options) must be valid: ttl must be greater than 0', self::HANDLE, ['ttl' => 0]];
        yield 'ttl of drift' => [$value, '#2 ($options) must be valid: ttl is too small: clock drift leaves no validity', self::HANDLE, ['ttl' => 2]];
        yield 'ttl beyond keepAliveMax' => [$value, '#2 ($options) must be valid: ttl must be at most keepAliveMax, 60000 ms, to be kept alive', self::HANDLE, ['ttl' => 60_001, 'keepAlive' => true]];
    }

    public function testABadTtlOfExtendIsRefusedAndChangesNothing(): void
    {
        $lease = self::leased(self::locks());
        $error = self::caught(\ValueError::class, static fn () => $lease->extend(0));
        self::assertSame('RedLock\Lease::extend(): Argument #1 ($ttl) must be greater than 0', $error->getMessage());
        self::assertTrue($lease->isLive());
    }
}
