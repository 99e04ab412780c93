<?php

/** Every form in which the one server can be named. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use PidLock;
use RedLock\Tests\Support\PidLockTestCase;

/** @group real */
final class ServersTest extends PidLockTestCase
{
    /** @dataProvider forms */
    public function testTheServerCanBeNamedAs(string|array $form): void
    {
        $fill = static fn (mixed $value): mixed => match (true) {
            $value === 'PORT' => self::$server->port,
            is_string($value) => strtr($value, ['PORT' => self::$server->port, 'SOCKET' => self::$server->unixPath()]),
            default => $value,
        };
        $pidLock = new PidLock(is_array($form) ? array_map($fill, $form) : $fill($form));
        self::assertSame(1, $pidLock->getPidLock('p', 10));
        self::assertTrue($pidLock->holdsPidLock('p'));
        $pidLock->releasePidLock('p');
        self::assertSame(0, self::$redis->call('EXISTS', 'lock_pid:p'));
    }

    /** @return iterable<string, array{string|array<mixed>}> PORT and SOCKET stand for the server's own */
    public static function forms(): iterable
    {
        yield 'host and port in a string' => ['127.0.0.1:PORT'];
        yield 'a tuple' => [['127.0.0.1', 'PORT']];
        yield 'a tuple with timeout' => [['127.0.0.1', 'PORT', 0.5]];
        yield 'named fields' => [['host' => '127.0.0.1', 'port' => 'PORT', 'timeout' => 0.5, 'database' => 2]];
        yield 'a URL' => ['redis://127.0.0.1:PORT'];
        yield 'a URL with database' => ['redis://127.0.0.1:PORT/3?timeout=0.5'];
        yield 'a unix socket' => ['unix://SOCKET'];
    }

    public function testUserAndPasswordAreSent(): void
    {
        $server = $this->server([], ['user default on nopass ~* &* +@all', 'user locker on >secret ~* +@all']);
        (new PidLock("redis://locker:secret@127.0.0.1:$server->port"))->getPidLock('p', 10);
        self::assertStringContainsString('user=locker', $server->client()->call('CLIENT', 'LIST'));
    }

    public function testTheDatabaseIsWhereTheKeyGoes(): void
    {
        (new PidLock('redis://127.0.0.1:' . self::$server->port . '/4'))->getPidLock('p', 10);
        self::assertNull(self::stamp());
        $client = self::$server->client();
        $client->call('SELECT', 4);
        self::assertNotNull($client->call('GET', 'lock_pid:p'));
    }

    public function testTheClientNameIsShownByTheServer(): void
    {
        self::pidLock(['clientName' => 'importer'])->getPidLock('p', 10);
        self::assertStringContainsString('name=importer', self::$redis->call('CLIENT', 'LIST'));
    }
}
