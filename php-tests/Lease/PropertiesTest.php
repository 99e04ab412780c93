<?php

/** What PHP lets people do to readonly properties harms no lease. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Lease;
use RedLock\Tests\Support\LeaseTestCase;

final class PropertiesTest extends LeaseTestCase
{
    /** @dataProvider intruders */
    public function testALeaseWhosePropertiesWereWrittenToIsStillItsLock(callable $intrude): void
    {
        $lease = self::leased(self::locks());
        $token = $lease->token;
        $intrude($lease);
        self::assertTrue($lease->confirm());
        self::assertTrue($lease->extend());
        self::assertTrue($lease->shorten(5000));
        self::assertTrue($lease->isLive());
        $handle = $lease->handle();
        self::assertSame('r', $handle['resource']);
        self::assertContains($handle['token'], self::$fleet->values('r'));
        self::assertNotSame($token, $handle['token'], 'it was shortened');
        self::assertTrue($lease->release());
        self::assertReleased();
    }

    /** @dataProvider intruders */
    public function testItIsGivenBackWithItsObject(callable $intrude): void
    {
        $intrude(self::leased(self::locks()));
        self::assertReleased();
    }

    /** @dataProvider intruders */
    public function testItCanBePassedOn(callable $intrude): void
    {
        $locks = self::locks();
        $lease = self::leased($locks);
        $intrude($lease);
        self::assertTrue($locks->attach($lease->detach())->release());
    }

    public function testACircleThroughAPropertyIsCollected(): void
    {
        $lease = self::leased(self::locks());
        $array = self::around(\ArrayObject::class, $lease);
        self::tried(static fn () => $array['token'] = [$lease]);
        self::tried(static fn () => $array['token'] = new \ArrayIterator([$lease]));
        unset($array, $lease);
        gc_collect_cycles();
        self::assertReleased();
    }

    /** @dataProvider dumps */
    public function testNoDumpShowsTheToken(callable $dump): void
    {
        $lease = self::leased(self::locks());
        $dumped = $dump($lease);
        self::assertStringContainsString('resource', $dumped);
        self::assertStringNotContainsString($lease->token, $dumped);
        self::assertSame($lease->token, $lease->handle()['token']);
    }

    /** @return iterable<string, array{callable(Lease): string}> */
    public static function dumps(): iterable
    {
        yield 'json_encode()' => [static fn (Lease $lease): string => json_encode($lease)];
        yield 'var_dump()' => [static function (Lease $lease): string {
            ob_start();
            var_dump($lease);
            return ob_get_clean();
        }];
        yield 'print_r()' => [static fn (Lease $lease): string => print_r($lease, true)];
        yield 'var_export()' => [static fn (Lease $lease): string => var_export($lease, true)];
        yield 'a cast' => [static fn (Lease $lease): string => serialize((array) $lease)];
        yield 'an array around it' => [static fn (Lease $lease): string => json_encode([[$lease]])];
    }

    /** @return iterable<string, array{callable(Lease): mixed}> */
    public static function intruders(): iterable
    {
        yield 'array_walk() by value' => [static fn (Lease $lease) => array_walk($lease, static fn ($value, $key) => null)];
        yield 'array_walk() by reference' => [static fn (Lease $lease) => self::walk($lease, static function (mixed &$value): void {
        })];
        yield 'array_walk() that writes' => [static fn (Lease $lease) => self::walk($lease, static function (mixed &$value): void {
            $value = 'x';
        })];
        foreach (['a string' => 'x', 'an int' => 7, 'a float' => 1.5, 'an array' => [1, 2], 'null' => null] as $what => $value) {
            yield "ArrayObject with $what" => [static function (Lease $lease) use ($value): void {
                $array = self::around(\ArrayObject::class, $lease);
                self::tried(static fn () => $array['resource'] = $value);
                self::tried(static fn () => $array['token'] = $value);
            }];
        }
        yield 'ArrayObject with an object that uses the lock as it goes' => [static function (Lease $lease): void {
            $array = self::around(\ArrayObject::class, $lease);
            $seen = \WeakReference::create($lease);
            $guest = self::guest(static fn () => $seen->get()?->shorten(1000));
            self::tried(static fn () => $array['token'] = $guest);
        }];
        yield 'ArrayObject that unsets' => [static function (Lease $lease): void {
            $array = self::around(\ArrayObject::class, $lease);
            self::tried(static function () use ($array): void {
                unset($array['resource'], $array['token']);
            });
        }];
        yield 'ArrayIterator' => [static function (Lease $lease): void {
            $array = self::around(\ArrayIterator::class, $lease);
            foreach (['resource', 'token'] as $name) {
                self::tried(static fn () => $array[$name] = 'x');
            }
        }];
    }

    /** One that does something when it goes before this is over. */
    private static function guest(callable $goes): object
    {
        return new class ($goes) {
            public function __construct(public mixed $goes)
            {
            }

            public function __destruct()
            {
                ($this->goes)();
            }
        };
    }

    private static function walk(Lease $lease, callable $each): void
    {
        self::tried(static fn () => array_walk($lease, $each));
    }

    /** PHP 8.5 refuses objects that show others than their properties, and then there is nothing to write to. */
    private static function around(string $class, Lease $lease): \ArrayAccess
    {
        try {
            return new $class($lease);
        } catch (\InvalidArgumentException $refusal) {
            self::assertGreaterThanOrEqual(80_300, PHP_VERSION_ID, $refusal->getMessage());
            self::assertStringContainsString('is not compatible with', $refusal->getMessage());
            return new $class();
        }
    }

    /** Later PHP refuses some of it. */
    private static function tried(callable $call): void
    {
        try {
            $call();
        } catch (\Throwable) {
        }
    }
}
