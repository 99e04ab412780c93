<?php

/** A key is plain data: another process can use it. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use RedLock\Harness\PhpProcess;
use RedLock\Symfony\RedLockStore;
use Symfony\Component\Lock\Key;

final class SerializationTest extends StoreTestCase
{
    public function testTheStateOfAKeyIsOneString(): void
    {
        $key = self::saved(self::store());
        self::assertMatchesRegularExpression('/^[0-9a-f]{32}$/', $key->getState(RedLockStore::class));
    }

    public function testAKeyThatWasSerializedHasTheLock(): void
    {
        $store = self::store();
        $key = unserialize(serialize(self::saved($store)));
        self::assertInstanceOf(Key::class, $key);
        self::assertTrue($store->exists($key));
        $store->putOffExpiration($key, 400.0);
        $store->delete($key);
        self::assertSame(0, self::$fleet->keyCount(3));
    }

    public function testAnotherProcessExtendsAndReleasesWhatThisOneTook(): void
    {
        $store = self::store(20.0);
        $key = self::saved($store);
        $key->resetLifetime();
        $worker = $this->process('
            $key = unserialize($args["key"]);
            report($store->exists($key));
            $store->putOffExpiration($key, 60.0);
            report("extended");
            fgets(STDIN);
            $store->delete($key);
            report($store->exists($key));
        ', ['key' => serialize($key)]);
        self::assertTrue(PhpProcess::report($worker));
        self::assertSame('extended', PhpProcess::report($worker));
        self::assertGreaterThan(50_000, max(self::ttls()));
        self::assertTrue($store->exists($key));
        $worker->writeLine('go');
        self::assertFalse(PhpProcess::report($worker));
        self::assertFalse($store->exists($key));
    }

    public function testALockOutlivesTheProcessThatTookIt(): void
    {
        $taker = $this->process('
            $key = new Symfony\Component\Lock\Key("r");
            $store->save($key);
            report(base64_encode(serialize($key)));
        ');
        $key = unserialize(base64_decode(PhpProcess::report($taker)));
        self::assertSame(0, $taker->wait());
        self::assertTrue(self::store()->exists($key));
    }
}
