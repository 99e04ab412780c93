<?php

/** Every form in which a server can be named. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\QuorumException;
use RedLock\Tests\Support\SharedFleetTestCase;

final class ServersTest extends SharedFleetTestCase
{
    private function port(): int
    {
        return self::$fleet->servers[0]->port;
    }

    /**
     * @dataProvider formsOfOneServer
     * @group real
     */
    public function testAServerCanBeNamedAs(array|string $form): void
    {
        $form = self::filledIn($form);
        $redLock = new RedLock([$form]);
        self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
    }

    /** @return iterable<string, array{array<mixed>|string}> PORT and SOCKET stand for the server's own */
    public static function formsOfOneServer(): iterable
    {
        yield 'host, port' => [['127.0.0.1', 'PORT']];
        yield 'host, port, timeout' => [['127.0.0.1', 'PORT', 0.5]];
        yield 'host, port, whole timeout' => [['127.0.0.1', 'PORT', 1]];
        yield 'host, port, null timeout' => [['127.0.0.1', 'PORT', null]];
        yield 'host, port, no timeout as 0' => [['127.0.0.1', 'PORT', 0]];
        yield 'a name of the loopback' => [['localhost', 'PORT', 0.5]];
        yield 'named fields' => [['host' => '127.0.0.1', 'port' => 'PORT', 'timeout' => 0.5]];
        yield 'named fields without timeout' => [['host' => '127.0.0.1', 'port' => 'PORT']];
        yield 'named fields with database' => [['host' => '127.0.0.1', 'port' => 'PORT', 'database' => 3]];
        yield 'URL' => ['redis://127.0.0.1:PORT'];
        yield 'URL with slash' => ['redis://127.0.0.1:PORT/'];
        yield 'URL with database and timeout' => ['redis://127.0.0.1:PORT/2?timeout=0.5'];
        yield 'unix socket URL' => ['unix://SOCKET'];
    }

    private static function filledIn(array|string $form): array|string
    {
        $server = self::$fleet->servers[0];
        $fill = static fn (mixed $value): mixed => match (true) {
            $value === 'PORT' => $server->port,
            is_string($value) => strtr($value, ['PORT' => (string) $server->port, 'SOCKET' => $server->unixPath()]),
            default => $value,
        };
        return is_array($form) ? array_map($fill, $form) : $fill($form);
    }

    /** @group real */
    public function testTheDatabaseOfAnArrayIsWhereTheKeyGoes(): void
    {
        $redLock = new RedLock([['host' => '127.0.0.1', 'port' => $this->port(), 'database' => 5]]);
        $lock = self::held($redLock, 'r');
        $this->assertDatabaseHolds(5, $lock);
    }

    /** @group real */
    public function testTheDatabaseOfAUrlIsWhereTheKeyGoes(): void
    {
        $redLock = new RedLock(["redis://127.0.0.1:{$this->port()}/7"]);
        $lock = self::held($redLock, 'r');
        $this->assertDatabaseHolds(7, $lock);
    }

    private function assertDatabaseHolds(int $database, array $lock): void
    {
        $client = self::$fleet->servers[0]->client();
        self::assertNull($client->call('GET', 'r'), 'the key is in database 0');
        $client->call('SELECT', $database);
        self::assertSame($lock['token'], $client->call('GET', 'r'));
    }

    /** @group real */
    public function testTwoDatabasesOfOneServerDoNotShareALock(): void
    {
        $inOne = new RedLock([['host' => '127.0.0.1', 'port' => $this->port(), 'database' => 1]]);
        $inTwo = new RedLock([['host' => '127.0.0.1', 'port' => $this->port(), 'database' => 2]]);
        self::held($inOne, 'r');
        self::assertIsArray($inTwo->lock('r', 1000));
    }

    /** @group real */
    public function testDifferentFormsCanBeMixed(): void
    {
        [$a, $b, $c] = self::$fleet->servers;
        $servers = [
            ['127.0.0.1', $a->port],
            "redis://127.0.0.1:$b->port",
            ['host' => '127.0.0.1', 'port' => $c->port],
        ];
        self::held(new RedLock($servers), 'r');
        self::assertNotContains(null, self::$fleet->values('r', 3));
    }

    public function testAPasswordIsSent(): void
    {
        $server = $this->server(['requirepass' => 'open-sesame']);
        $redLock = new RedLock([['host' => '127.0.0.1', 'port' => $server->port, 'auth' => 'open-sesame']]);
        self::assertIsArray($redLock->lock('r', 1000));
    }

    public function testUserAndPasswordAreSent(): void
    {
        $server = $this->server([], ['user default on nopass ~* &* +@all', 'user locker on >secret ~* +@all']);
        $spec = ['host' => '127.0.0.1', 'port' => $server->port, 'auth' => ['locker', 'secret']];
        self::held(new RedLock([$spec]), 'r');
        self::assertStringContainsString('user=locker', $server->client()->call('CLIENT', 'LIST'));
    }

    public function testCredentialsOfAUrlArePercentDecoded(): void
    {
        $server = $this->server([], ['user default on nopass ~* &* +@all', 'user locker on >p@ss/wörd ~* +@all']);
        $password = rawurlencode('p@ss/wörd');
        self::held(new RedLock(["redis://locker:$password@127.0.0.1:$server->port"]), 'r');
        self::assertStringContainsString('user=locker', $server->client()->call('CLIENT', 'LIST'));
    }

    /** @group real */
    public function testTheClientNameIsShownByTheServer(): void
    {
        $redLock = new RedLock(self::$fleet->specs(1), 200, 3, ['clientName' => 'checkout-7']);
        self::held($redLock, 'r');
        self::assertStringContainsString('name=checkout-7', self::$fleet->servers[0]->client()->call('CLIENT', 'LIST'));
    }

    public function testTheConstructorConnectsToNobody(): void
    {
        $server = $this->server();
        $before = $server->client()->call('INFO', 'stats');
        new RedLock([['127.0.0.1', $server->port]]);
        $after = $server->client()->call('INFO', 'stats');
        self::assertSame(self::connections($before) + 1, self::connections($after), 'only our own look was counted');
    }

    private static function connections(string $stats): int
    {
        preg_match('/total_connections_received:(\d+)/', $stats, $match);
        return (int) $match[1];
    }

    public function testATimeoutOfItsOwnHoldsForOneServerOnly(): void
    {
        [$fast, $slow] = [$this->server(), $this->server()];
        $slow->stop();
        $redLock = new RedLock([['127.0.0.1', $fast->port, 30], ['127.0.0.1', $slow->port, 0.05]], 0, 1);
        $took = self::secondsOf(static fn () => $redLock->lock('r', 60_000));
        $slow->cont();
        self::assertLessThan(5.0, $took);
    }

    public function testTheOptionTimeoutIsTheDefaultForServersWithoutTheirOwn(): void
    {
        $server = $this->server();
        $server->stop();
        $redLock = new RedLock([['127.0.0.1', $server->port]], 0, 1, ['timeout' => 0.4]);
        $took = self::secondsOf(static fn () => $redLock->lock('r', 60_000));
        $server->cont();
        self::assertGreaterThan(0.39, $took);
        self::assertLessThan(4.0, $took);
    }

    public function testWithoutAnyTimeoutAServerHas250Milliseconds(): void
    {
        $server = $this->server();
        $server->stop();
        $redLock = new RedLock([['127.0.0.1', $server->port]], 0, 1);
        $took = self::secondsOf(static fn () => $redLock->lock('r', 60_000));
        $server->cont();
        self::assertGreaterThan(0.249, $took);
        self::assertLessThan(2.5, $took);
    }

    public function testAHostNameWithoutAnAddressIsNamedInTheException(): void
    {
        $redLock = new RedLock([['redlock.invalid', 6379, 0.1]], 0, 1);
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 1000));
        self::assertStringContainsString('redlock.invalid:6379', $thrown->getMessage());
    }
}
