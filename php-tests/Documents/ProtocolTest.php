<?php

/** docs/protocol.md: a client that keeps to the page stands in line among ours, on one server. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use RedLock\Harness\RespClient;
use RedLock\LockManager;
use RedLock\Tests\Support\Document;
use RedLock\Tests\Support\LineTestCase;

final class ProtocolTest extends LineTestCase
{
    private const THEIRS = '0123456789abcdef0123456789abcdef';

    private RespClient $client;
    private RespClient $listener;

    protected function setUp(): void
    {
        parent::setUp();
        $this->client = self::$fleet->servers[0]->client();
        $this->listener = self::$fleet->servers[0]->client();
        self::assertSame(['subscribe', 'redlock:theirs', 1], $this->listener->call('SUBSCRIBE', 'redlock:theirs'));
    }

    /** A script as the page says where to find it and what is sent of it. */
    private function call(string $script, string|int ...$arguments): mixed
    {
        $text = rtrim(self::linesOf($script), "\n");
        $page = (new Document('docs/protocol.md'))->section('Scripts');
        self::assertStringContainsString("| `$script` | `" . sha1($text) . '` |', $page);
        return $this->client->call('EVAL', $text, 1, 'r', ...$arguments);
    }

    private static function linesOf(string $name): string
    {
        $file = (string) file_get_contents(Document::root() . "/core/redlock/wire/lua/$name.lua");
        $included = static fn(array $line): string => self::linesOf($line[1]);
        return preg_replace('~^--.*\n|^ +~m', '', preg_replace_callback('~^--include (\w+)\n~m', $included, $file));
    }

    private function join(int $echo, string $wish = '1'): mixed
    {
        return $this->call('join', self::THEIRS, 30_000, 1_000_000_000_000, 'redlock:theirs', $echo, $wish);
    }

    private function pushed(): string
    {
        [$kind, $channel, $text] = $this->listener->reply();
        self::assertSame(['message', 'redlock:theirs'], [$kind, $channel]);
        return $text;
    }

    public function testWhoIsGivenTheLockByOurReleaseIsToldBehindWhichJoin(): void
    {
        $lease = self::holding(self::$fleet->specs(1, 2.0));
        self::assertMatchesRegularExpression('~^\d{4,5} 0 \d{13}$~', $this->join(1));
        self::assertMatchesRegularExpression('~^\d{4,5} 0 \d{13}$~', $this->join(3));
        self::assertMatchesRegularExpression('~^\d{4,5} 1 \d{13}$~', $this->join(2), 'one that was overtaken');
        self::assertTrue($lease->release());
        self::assertSame('granted 3 ' . self::THEIRS, $this->pushed());
        self::assertSame(self::THEIRS, $this->client->call('GET', 'r'));
        self::assertSame('3 ' . self::THEIRS, $this->client->call('HGET', 'r:redlock:waiters', ''));
        self::assertSame(1, $this->call('extend_if_equal', self::THEIRS, 30_000));
        self::assertNull($this->client->call('HGET', 'r:redlock:waiters', ''));
        self::assertSame(1, $this->call('pass', self::THEIRS));
        self::assertNothingIsLeft();
    }

    public function testWhatStandsInTheKeysOfALineIsWhatThePageSays(): void
    {
        self::assertSame('GRANTED', $this->join(1));
        $waiter = $this->waiterInLine(1, ['servers' => self::$fleet->specs(1, 2.0)]);
        [$token, $ticket] = $this->client->call('ZRANGE', 'r:redlock:line', 0, 0, 'WITHSCORES');
        self::assertMatchesRegularExpression('~^[0-9a-f]{32}$~', $token);
        self::assertEqualsWithDelta(microtime(true) * 1000, (float) $ticket, 60_000);
        $entry = '~^redlock:[0-9a-f]{32} \d 30000 \d{10}$~';
        self::assertMatchesRegularExpression($entry, $this->client->call('HGET', 'r:redlock:waiters', $token));
        self::assertMatchesRegularExpression("~^\\d{4,5} 1 1 \\d+ 32:{$token}" . self::THEIRS . '$~', $this->call('inspect'));
        foreach (['r:redlock:line', 'r:redlock:waiters'] as $key) {
            self::assertGreaterThan(0, $this->client->call('PTTL', $key));
        }
        self::assertSame(1, $this->call('pass', self::THEIRS));
        self::assertGot($waiter);
        self::giveBack($waiter);
    }

    public function testOneThatYieldsGivesItsVoteToThoseBehindAndIsPassedOver(): void
    {
        self::assertSame('GRANTED', $this->join(1));
        $waiter = $this->waiterInLine(1, ['servers' => self::$fleet->specs(1, 2.0)]);
        self::assertMatchesRegularExpression('~^\d{4,5} 0 \d{13}$~', $this->join(2, '2'));
        self::assertStringEndsWith(' -', $this->client->call('HGET', 'r:redlock:waiters', self::THEIRS));
        self::assertGot($waiter);
        self::assertSame(0, $this->call('pass', self::THEIRS));
        self::giveBack($waiter);
    }
}
