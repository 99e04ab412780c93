<?php

/** docs/operations.md: the user of its ACL line can do what both locks need, and no rule of it is superfluous. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use PidLock;
use RedLock;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\RedisServer;
use RedLock\Harness\RespClient;
use RedLock\Harness\RespError;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\Tests\Support\Document;
use RedLock\Tests\Support\ServerTestCase;

final class AccessTest extends ServerTestCase
{
    private const DISPENSABLE = ['+ping', '+evalsha', '+exists'];

    private static RedisServer $server;
    private static int $uses = 0;

    public static function setUpBeforeClass(): void
    {
        self::$server = RedisServer::start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->kill9();
    }

    public function testTheUserCanDoWhatBothLocksNeed(): void
    {
        self::assertSame(self::everythingWorks(), $this->use(self::rules()));
    }

    /** @dataProvider neededRules */
    public function testWithoutThisRuleSomethingFails(string $rule): void
    {
        self::assertContains($rule, self::rules(), 'the table has a rule that the line has not');
        self::assertNotSame(self::everythingWorks(), $this->use(array_diff(self::rules(), [$rule])));
    }

    public function testWithoutTheRuleForTheNameTheLockWorksAllTheSame(): void
    {
        $results = $this->use(array_diff(self::rules(), ['+client|setname']));
        self::assertSame(['name' => false] + self::everythingWorks(), ['name' => $results['name']] + $results);
    }

    /** @dataProvider dispensableRules */
    public function testWithoutThisRuleEverythingWorksAllTheSame(string $rule): void
    {
        self::assertContains($rule, self::rules());
        self::assertSame(self::everythingWorks(), $this->use(array_diff(self::rules(), [$rule])));
    }

    /** @return iterable<string, array{string}> */
    public static function dispensableRules(): iterable
    {
        foreach (self::DISPENSABLE as $rule) {
            yield $rule => [$rule];
        }
    }

    /** @return iterable<string, array{string}> */
    public static function neededRules(): iterable
    {
        foreach (array_diff(['on', '>password', ...self::table()], self::DISPENSABLE) as $rule) {
            yield $rule => [$rule];
        }
    }

    public function testEveryRuleIsInTheTable(): void
    {
        self::assertSame(['reset', 'on', '>password', ...self::table()], self::rules());
    }

    public function testResetTakesAwayWhatTheUserCouldDoBefore(): void
    {
        $admin = self::$server->client();
        foreach ([[true, self::rules()], [false, array_diff(self::rules(), ['reset'])]] as [$refused, $rules]) {
            $admin->call('ACL', 'SETUSER', 'locks', 'on', 'nopass', '~other:*', '+flushall');
            $admin->call('ACL', 'SETUSER', 'locks', ...$rules);
            self::assertSame($refused, self::isRefused('FLUSHALL'));
        }
    }

    public function testTheLibrarySendsNoOtherCommands(): void
    {
        $this->use(self::rules());
        $admin = self::$server->client();
        $admin->call('CONFIG', 'RESETSTAT');
        $this->use(self::rules());
        preg_match_all('~^cmdstat_([^:]+):~m', $admin->call('INFO', 'commandstats'), $seen);
        $allowed = array_map(
            static fn (string $rule): string => ltrim($rule, '+'),
            preg_grep('~^\+~', self::rules()),
        );
        $ours = ['auth', 'acl|setuser', 'acl|deluser', 'acl', 'config|resetstat', 'config', 'info', 'flushall', 'client|list', 'dbsize'];
        // Before Redis 7 subcommands are not told apart.
        self::assertSame([], array_values(array_diff($seen[1], $allowed, $ours, ['client'])));
    }

    /** The document's rules behind the user's name. @return list<string> */
    private static function rules(): array
    {
        $words = explode(' ', trim((new Document('docs/operations.md'))->code('Access')));
        self::assertSame(['ACL', 'SETUSER', 'locks'], array_splice($words, 0, 3));
        return $words;
    }

    /** The rules of the table, of which a row may have several. @return list<string> */
    private static function table(): array
    {
        return explode(', ', implode(', ', array_keys((new Document('docs/operations.md'))->table('Access'))));
    }

    private static function isRefused(string ...$command): bool
    {
        $client = new RespClient('tcp://' . self::$server->name());
        $client->call('AUTH', 'locks', 'password');
        try {
            $client->call(...$command);
        } catch (RespError) {
            return true;
        }
        return false;
    }

    /**
     * Uses both locks as the user with these rules and says what came of it.
     *
     * @param array<string> $rules
     * @return array<string, mixed>
     */
    private function use(array $rules): array
    {
        $admin = self::$server->client();
        $admin->call('ACL', 'DELUSER', 'locks');
        $admin->call('FLUSHALL');
        $admin->call('ACL', 'SETUSER', 'locks', ...$rules);
        $server = ['host' => '127.0.0.1', 'port' => self::$server->port, 'timeout' => 2.0, 'auth' => ['locks', 'password']];
        // A name of its own gives each use connections of its own: others knew another user.
        $options = ['clientName' => 'locks-test-' . ++self::$uses];
        $redLock = new RedLock([$server + ['database' => 1]], 0, 1, $options);
        $pidLock = new PidLock($server, $options);
        $results = [];
        // Twice, since a script goes by its name the second time.
        foreach (['first', 'second'] as $turn) {
            $results["$turn RedLock"] = self::outcomeOf(static function () use ($redLock): array {
                $lock = $redLock->lock('lock:a', 60_000);
                return [
                    is_array($lock), $redLock->lock('lock:a', 60_000), $redLock->isHeld($lock),
                    is_array($redLock->extend($lock, 120_000)), $redLock->unlock($lock), $redLock->lastErrors(),
                ];
            });
            $results["$turn PidLock"] = self::outcomeOf(static fn (): array => [
                $pidLock->getPidLock('a', 60), $pidLock->getPidLock('a', 60), $pidLock->holdsPidLock('a'),
                $pidLock->releasePidLock('a'), $pidLock->holdsPidLock('a'),
            ]);
        }
        $results['line'] = self::outcomeOf(static fn (): array => self::handOver($server, $options));
        $results['several'] = self::outcomeOf(static fn (): array => self::several($server, $options));
        $results['fence'] = self::outcomeOf(static fn (): array => [self::fenced($server, $options)]);
        $results['shared'] = self::outcomeOf(static fn (): array => self::shared($server, $options));
        // It stays for a day.
        $admin->call('DEL', 'lock:fence:redlock:fence');
        $results['left'] = $admin->call('DBSIZE');
        $results['name'] = str_contains($admin->call('CLIENT', 'LIST'), " name=$options[clientName] ");
        return $results;
    }

    /** @return list<bool> */
    private static function several(array $server, array $options): array
    {
        $locks = new LockManager([$server], $options);
        $lease = $locks->acquireAll(['lock:a', 'lock:b'], 60_000);
        return [
            $lease !== null, $locks->acquire('lock:b') === null, $lease->extend(120_000), $lease->confirm(),
            $lease->shorten(30_000), $lease->release(),
        ];
    }

    /** @return list<bool> */
    private static function shared(array $server, array $options): array
    {
        $locks = new LockManager([$server], $options);
        [$one, $other] = [$locks->acquireShared('lock:s', 60_000), $locks->acquireShared('lock:s', 60_000)];
        return [
            $other->release(), $locks->acquire('lock:s') === null, $one->extend(120_000), $one->confirm(), $one->promote(),
            $one->demote(), $one->shorten(30_000), $locks->inspect('lock:s')['readers'] === 1, $one->release(),
        ];
    }

    private static function fenced(array $server, array $options): bool
    {
        $lease = (new LockManager([$server], $options))->acquire('lock:fence', 60_000, options: ['fence' => true]);
        return $lease->fence > 0 && $lease->release();
    }

    /** One hand-over from here to another process, as this user. @return list<mixed> */
    private static function handOver(array $server, array $options): array
    {
        $locks = new LockManager([$server], $options);
        $lease = $locks->acquire('lock:line', 60_000);
        $waiter = PhpProcess::start('
            $locks = new RedLock\LockManager([$args[0]], $args[1]);
            $lease = $locks->acquire("lock:line", 60000, 1500);
            report([$lease !== null, $locks->stats()["handedOver"], $locks->lastErrors()]);
        ', [$server, $options]);
        try {
            Wait::until(static fn (): bool => self::$server->client()->call('ZCARD', 'lock:line:redlock:line') === 1, 'the waiter to stand in line', 1.0);
        } catch (\RuntimeException) {
        }
        $waiters = $locks->inspect('lock:line')['waiters'];
        $released = $lease->release();
        $report = PhpProcess::report($waiter);
        $waiter->wait();
        return [$waiters, $released, ...$report];
    }

    /** @return array<string, mixed> */
    private static function everythingWorks(): array
    {
        $redLock = [true, false, true, true, true, []];
        $pidLock = [1, 0, true, true, false];
        return [
            'first RedLock' => $redLock, 'first PidLock' => $pidLock,
            'second RedLock' => $redLock, 'second PidLock' => $pidLock,
            'line' => [1, true, true, 1, []], 'several' => array_fill(0, 6, true), 'fence' => [true],
            'shared' => array_fill(0, 9, true), 'left' => 0,
            'name' => true,
        ];
    }

    private static function outcomeOf(callable $use): array|string
    {
        try {
            return $use();
        } catch (\Throwable $thrown) {
            return $thrown::class;
        }
    }
}
