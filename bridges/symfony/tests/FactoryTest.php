<?php

/** A store from a DSN, and DSNs that cannot be meant. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use RedLock\Symfony\RedLockStore;
use RedLock\Symfony\RedLockStoreFactory;
use RedLock\Testing;
use Symfony\Component\Lock\Exception\InvalidArgumentException;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Semaphore\Key as Permits;

final class FactoryTest extends StoreTestCase
{
    public function testADsnNamesTheServersAndWhatConcernsThem(): void
    {
        $dsn = 'redlock://' . self::$fleet->names(3) . '/2?initial_ttl=20&timeout=0.5&drift_factor=0.02&client_name=shop';
        $key = self::saved(RedLockStoreFactory::createStore($dsn));
        self::assertLessThan(19.7, $key->getRemainingLifetime());
        self::assertGreaterThan(15.0, $key->getRemainingLifetime());
        self::assertShopHas('r');
    }

    /** A majority has it in database 2, from a client of that name: not every server needs to be asked. */
    private static function assertShopHas(string $key): void
    {
        $having = array_filter(self::$fleet->each(static function ($client) use ($key): bool {
            $client->call('SELECT', '2');
            return $client->call('EXISTS', $key) === 1 && str_contains($client->call('CLIENT', 'LIST'), ' name=shop ');
        }, 3));
        self::assertGreaterThanOrEqual(2, count($having));
    }

    public function testTheUsualInitialTtlIsThatOfTheStore(): void
    {
        $key = self::saved(RedLockStoreFactory::createStore('redlock://' . self::$fleet->names(3)));
        self::assertGreaterThan(290.0, $key->getRemainingLifetime());
    }

    public function testMemoryIsAServerWithinTheProcess(): void
    {
        Testing::reset();
        $store = RedLockStoreFactory::createStore('redlock://memory?initial_ttl=20');
        $key = self::saved($store);
        self::assertSame(['r'], Testing::keys());
        self::caught(LockConflictedException::class, static fn () => $store->save(new Key('r')));
        $store->delete($key);
        self::assertSame([], Testing::keys());
        Testing::refuse();
        self::caught(LockAcquiringException::class, static fn () => $store->save(new Key('r')));
        Testing::reset();
    }

    public function testADsnGivesSemaphoresToo(): void
    {
        $store = RedLockStoreFactory::createSemaphoreStore('redlock://' . self::$fleet->names(3) . '/2?timeout=0.5&client_name=shop');
        $store->save(new Permits('r', 1), 60.0);
        self::assertShopHas('r:redlock:slot:0');
    }

    #[TestWith(['initial_ttl'])]
    #[TestWith(['fence'])]
    public function testWhatOnlyLocksHaveIsNoParameterOfSemaphores(string $parameter): void
    {
        $dsn = "redlock://10.0.0.1?$parameter=1";
        $error = self::caught(InvalidArgumentException::class, static fn () => RedLockStoreFactory::createSemaphoreStore($dsn));
        self::assertStringContainsString("unknown parameter \"$parameter\"; known are timeout,", $error->getMessage());
    }

    public function testAHostOfThatNameHasAPort(): void
    {
        $store = RedLockStoreFactory::createStore('redlock://memory:6379?timeout=0.2');
        $error = self::caught(LockAcquiringException::class, static fn () => $store->save(new Key('r')));
        self::assertStringContainsString('memory:6379', $error->getMessage());
    }

    public function testCredentialsAreThoseOfEveryServer(): void
    {
        $server = $this->server(['requirepass' => 'p@ss/w:rd']);
        $encoded = rawurlencode('p@ss/w:rd');
        foreach (["redlock://:$encoded@", "redlock://$encoded@", "redlock://default:$encoded@"] as $begin) {
            $store = RedLockStoreFactory::createStore($begin . $server->name());
            $key = self::saved($store);
            $store->delete($key);
            self::assertFalse($store->exists($key));
        }
    }

    public function testAHostWithoutAPortIsOnTheUsualOne(): void
    {
        $store = RedLockStoreFactory::createStore('redlock://127.0.0.254,[::1]?timeout=0.2');
        $error = self::caught(LockAcquiringException::class, static fn () => $store->save(new Key('r')));
        self::assertStringContainsString('127.0.0.254:6379', $error->getMessage());
        self::assertStringContainsString('[::1]:6379', $error->getMessage());
    }

    /** Nothing is connected to: whether it is TLS that is spoken, the extension's own tests show. */
    public function testWithASecondSEveryServerHasTlsAndItsOptions(): void
    {
        $begin = 'redlocks://user:secret@10.0.0.1,10.0.0.2:6380,[::1]/2?timeout=0.5';
        foreach (['', '&ssl[cafile]=/etc/ca.pem', '&ssl[verify_peer]=0&ssl[local_cert]=/c.pem&ssl[local_pk]=/k.pem'] as $options) {
            self::assertInstanceOf(RedLockStore::class, RedLockStoreFactory::createStore($begin . $options));
        }
    }

    #[DataProvider('wrongDsns')]
    public function testAWrongDsnIsRefused(string $dsn, string $named): void
    {
        ini_set('zend.exception_ignore_args', '0');
        $error = self::caught(InvalidArgumentException::class, static fn () => RedLockStoreFactory::createStore($dsn));
        self::assertStringContainsString($named, $error->getMessage());
        self::assertStringNotContainsString('secret', $error->getMessage());
        $own = array_filter($error->getTrace(), static fn (array $frame): bool => str_starts_with($frame['class'] ?? '', RedLockStoreFactory::class));
        self::assertStringNotContainsString('secret', print_r($own, true));
    }

    /** @return iterable<string, array{string, string}> the DSN, and what the message must name */
    public static function wrongDsns(): iterable
    {
        yield 'nothing' => ['', 'redlock[s]://'];
        yield 'another scheme' => ['redis://10.0.0.1', 'redlock[s]://'];
        yield 'no host' => ['redlock://', 'redlock[s]://'];
        yield 'an empty host' => ['redlock://10.0.0.1,', 'Server 2'];
        yield 'a host with two ports' => ['redlock://10.0.0.1:1:2', 'Server 1'];
        yield 'a host with a port in words' => ['redlock://user:secret,10.0.0.1', 'Server 1'];
        yield 'two signs before the host' => ['redlock://user:secret@more@10.0.0.1', 'redlock[s]://'];
        yield 'a database in words' => ['redlock://10.0.0.1/shop', 'redlock[s]://'];
        yield 'port 70000' => ['redlock://:secret@10.0.0.1:70000', 'port'];
        yield 'the same server twice' => ['redlock://10.0.0.1,10.0.0.1', 'distinct'];
        yield 'an unknown parameter' => ['redlock://10.0.0.1?colour=red', 'colour'];
        yield 'a value without a name' => ['redlock://10.0.0.1?timeout=1&secret', 'Parameter 2'];
        yield 'a parameter that is a list' => ['redlock://10.0.0.1?timeout[]=1', 'timeout'];
        yield 'a timeout in words' => ['redlock://10.0.0.1?timeout=soon', 'timeout'];
        yield 'a negative timeout' => ['redlock://10.0.0.1?timeout=-1', 'timeout'];
        yield 'a parameter twice' => ['redlock://10.0.0.1?timeout=0.2&timeout=0.3', 'timeout" twice'];
        yield 'an option of TLS twice' => ['redlocks://10.0.0.1?ssl[passphrase]=secret&ssl%5Bpassphrase%5D=', 'ssl[passphrase]" twice'];
        yield 'a name that PHP takes for another' => ['redlock://10.0.0.1?initial.ttl=7', 'initial.ttl'];
        yield 'a space before a name' => ['redlock://10.0.0.1?%20timeout=1', ' timeout'];
        yield 'a question mark in a password' => ['redlock://p?secret@10.0.0.1', '%3F'];
        yield 'a question mark in the password of a user' => ['redlocks://shop:12?ssl[secret]@10.0.0.1:6379', '%3F'];
        yield 'a password that ends in a port' => ['redlock://10.0.0.1,secret:x', 'Server 2'];
        yield 'options of TLS without TLS' => ['redlock://10.0.0.1?ssl[cafile]=/ca.pem', 'redlocks://'];
        yield 'options of TLS that are none' => ['redlocks://10.0.0.1?ssl=secret', 'ssl[cafile]'];
        yield 'an unknown option of TLS' => ['redlocks://10.0.0.1?ssl[colour]=secret', 'colour'];
        yield 'an option of TLS that is a list' => ['redlocks://10.0.0.1?ssl[cafile][]=/secret', 'cafile'];
        yield 'a switch of TLS in words' => ['redlocks://10.0.0.1?ssl[verify_peer]=secret', 'verify_peer'];
        yield 'memory beside a server' => ['redlock://memory,10.0.0.1', 'in memory'];
        yield 'memory with a password' => ['redlock://:secret@memory', 'password'];
        yield 'memory with TLS' => ['redlocks://memory', 'TLS'];
        yield 'a drift factor of 2' => ['redlock://10.0.0.1?drift_factor=2', 'driftFactor'];
    }

    public function testAnInitialTtlOfNothingIsRefused(): void
    {
        $this->expectException(InvalidTtlException::class);
        RedLockStoreFactory::createStore('redlock://10.0.0.1?initial_ttl=0');
    }
}
