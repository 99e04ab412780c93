<?php

/** The class as PHP code sees it, without any server. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use PHPUnit\Framework\TestCase;
use RedLock;
use RedLock\Tests\Support\ForgetfulRedLock;
use RedLock\Tests\Support\UntypedRedLock;
use ReflectionClass;
use ReflectionMethod;

final class ApiTest extends TestCase
{
    private const SERVERS = [['127.0.0.1', 1, 0.1]];

    public function testTheClassIsGlobalAndCanBeExtended(): void
    {
        $class = new ReflectionClass('RedLock');
        self::assertTrue($class->isInternal());
        self::assertFalse($class->isFinal());
    }

    public function testTheNamespacedNameIsTheSameClass(): void
    {
        self::assertSame('RedLock', (new ReflectionClass('RedLock\RedLock'))->getName());
    }

    /** @dataProvider signatures */
    public function testTheSignatureIs(string $method, string $expected): void
    {
        $reflection = new ReflectionMethod(RedLock::class, $method);
        $parameters = array_map(static function (\ReflectionParameter $p): string {
            $default = $p->isOptional() ? ' = ' . json_encode($p->getDefaultValue()) : '';
            return $p->getType() . ' $' . $p->getName() . $default;
        }, $reflection->getParameters());
        self::assertSame($expected, '(' . implode(', ', $parameters) . ')');
        $typed = $reflection->hasReturnType() || $reflection->hasTentativeReturnType();
        self::assertFalse($typed, 'subclasses without return types must load without a notice');
    }

    /** @return iterable<string, array{string, string}> */
    public static function signatures(): iterable
    {
        $constructor = '(array|string $servers, int $retryDelay = 200, int $retryCount = 3, array $options = [])';
        yield '__construct' => ['__construct', $constructor];
        yield 'lock' => ['lock', '(string|int $resource, int $ttl)'];
        yield 'unlock' => ['unlock', '(array $lock)'];
        yield 'extend' => ['extend', '(array|false $lock, int $ttl)'];
        yield 'isHeld' => ['isHeld', '(array|false $lock)'];
        yield 'lastErrors' => ['lastErrors', '()'];
    }

    public function testArgumentsCanBeNamed(): void
    {
        $redLock = new RedLock(servers: self::SERVERS, retryDelay: 1, retryCount: 1, options: []);
        self::assertSame([], $redLock->lastErrors());
    }

    public function testASubclassWithUntypedOverridesLoads(): void
    {
        self::assertSame('overridden', (new UntypedRedLock(self::SERVERS))->lock('r', 1000));
    }

    public function testASubclassMayAddItsOwnConstructorAndCallOurs(): void
    {
        $redLock = new class (self::SERVERS) extends RedLock {
            public function __construct(array $servers)
            {
                parent::__construct($servers, 10, 1);
            }
        };
        self::assertSame([], $redLock->lastErrors());
    }

    /** @dataProvider calls */
    public function testWithoutTheParentsConstructorEveryMethodThrowsAnError(string $method, array $arguments): void
    {
        $this->expectException(\Error::class);
        (new ForgetfulRedLock())->$method(...$arguments);
    }

    /** @return iterable<string, array{string, list<mixed>}> */
    public static function calls(): iterable
    {
        $lock = ['resource' => 'r', 'token' => 't'];
        yield 'lock' => ['lock', ['r', 1000]];
        yield 'unlock' => ['unlock', [$lock]];
        yield 'extend' => ['extend', [$lock, 1000]];
        yield 'isHeld' => ['isHeld', [$lock]];
        yield 'lastErrors' => ['lastErrors', []];
    }

    public function testAnObjectCannotBeSerialized(): void
    {
        $this->expectException(\Exception::class);
        serialize(new RedLock(self::SERVERS));
    }

    public function testAnObjectCannotBeMadeByUnserialize(): void
    {
        $this->expectException(\Exception::class);
        unserialize('O:7:"RedLock":0:{}');
    }

    public function testAnObjectCannotBeCloned(): void
    {
        $this->expectException(\Error::class);
        clone new RedLock(self::SERVERS);
    }

    public function testConstructingTwiceThrowsOrReplacesButDoesNotCrash(): void
    {
        $redLock = new RedLock(self::SERVERS);
        try {
            $redLock->__construct([['127.0.0.1', 2]]);
        } catch (\Error) {
        }
        self::assertSame([], $redLock->lastErrors());
    }

    public function testTheExceptionsAreWhatTheyShouldBe(): void
    {
        self::assertTrue((new ReflectionClass('RedLock\Exception'))->isInterface());
        self::assertTrue(is_subclass_of('RedLock\Exception', \Throwable::class));
        foreach (['RedLock\ConnectionException', 'RedLock\QuorumException'] as $class) {
            self::assertTrue(is_subclass_of($class, 'RedLock\Exception'), $class);
            self::assertTrue(is_subclass_of($class, \RuntimeException::class), $class);
        }
    }
}
