<?php

/** redlock check: what servers are, what is wrong with them, and what to do. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\FreePort;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\CliTestCase;
use RedLock\Tests\Support\Document;

final class CheckTest extends CliTestCase
{
    public function testFitServersAreShownWithAllThatMatters(): void
    {
        [$status, $said, $errors] = self::redlock(['check', ...self::PATIENT]);
        self::assertSame([0, ''], [$status, $errors], $said);
        foreach (self::$fleet->servers as $i => $server) {
            self::assertSame($i < 3, str_contains($said, $server->name() . "\n"));
        }
        self::assertSame(3, preg_match_all('~^    server +(redis|valkey) \d+\.\d+~m', $said));
        self::assertSame(3, preg_match_all('~^    role +master$~m', $said));
        self::assertSame(3, preg_match_all('~^    memory +noeviction, no maxmemory$~m', $said));
        self::assertSame(3, preg_match_all('~^    disk +nothing$~m', $said));
        self::assertSame(3, preg_match_all('~^    round trip +[\d.]+ ms, the first [\d.]+ ms$~m', $said));
        self::assertSame(3, preg_match_all('~^    clock +\S+ ms (ahead of|behind) ours, give or take~m', $said));
        self::assertSame(3, preg_match_all('~^    a lock +take, extend, inspect, release, wait$~m', $said));
        self::assertStringContainsString("\nfit for locks", $said);
        self::assertSame(0, self::$fleet->keyCount());
    }

    public function testTheSameIsThereForPrograms(): void
    {
        [$status, $said] = self::redlock(['check', '--json', ...self::PATIENT]);
        self::assertSame(0, $status);
        $seen = json_decode($said, false, 16, JSON_THROW_ON_ERROR);
        self::assertStringStartsWith('fit for locks', $seen->verdict);
        self::assertCount(3, $seen->servers);
        $server = $seen->servers[0];
        self::assertSame(['master', 'noeviction', 0, false, [], null], [
            $server->role, $server->maxmemory_policy, $server->maxmemory, $server->loading, $server->untold, $server->error,
        ]);
        self::assertSame(['take' => true, 'extend' => true, 'inspect' => true, 'release' => true, 'wait' => true], (array) $server->trials);
        self::assertLessThan(1_000_000, abs($server->clock_ahead_us));
    }

    public function testOneServerOfThreeThatIsDownIsAnErrorAndNamed(): void
    {
        [$status, $said] = self::redlock(['check', ...self::PATIENT, '-s', '127.0.0.1:1,' . self::servers(2)]);
        self::assertSame(1, $status);
        self::assertStringContainsString('ERROR: 127.0.0.1:1 cannot be asked: Connection refused', $said);
        self::assertStringNotContainsString('no majority', $said);
        self::assertStringEndsWith("not fit for locks: 1 error\n", $said);
    }

    public function testServersInMemoryAreNotFit(): void
    {
        [$status, $said] = self::redlock(['check', '-s', 'memory://a,memory://b,memory://c']);
        self::assertSame(1, $status);
        self::assertStringContainsString('ERROR: memory://b exists in each process for itself', $said);
        self::assertStringEndsWith("not fit for locks: 3 errors\n", $said);
    }

    public function testTwoServersOfThreeThatAreDownLeaveNoMajority(): void
    {
        [, $said] = self::redlock(['check', ...self::PATIENT, '-s', '127.0.0.1:1,127.0.0.1:2,' . self::servers(1)]);
        self::assertStringContainsString('ERROR: no majority of the servers grants locks: only 1 of 3', $said);
    }

    public function testEvictionIsAnErrorThatSaysWhatToDo(): void
    {
        $server = $this->server(['maxmemory' => '64mb', 'maxmemory-policy' => 'allkeys-lru']);
        [$status, $said] = $this->checked($server);
        self::assertSame(1, $status);
        self::assertStringContainsString("ERROR: {$server->name()} may delete locks", $said);
        self::assertStringContainsString('CONFIG SET maxmemory-policy noeviction', $said);
    }

    public function testAReplicaIsAnError(): void
    {
        $server = $this->server(['replicaof' => '127.0.0.1 1']);
        [$status, $said] = $this->checked($server);
        self::assertSame(1, $status);
        self::assertStringContainsString('is a replica: name its master', $said);
    }

    public function testWhatTheUserMayNotIsTold(): void
    {
        $server = $this->server([], [
            'user default off', 'user admin on >a ~* &* +@all', 'user deaf on >p ~app:* resetchannels +@all -config',
        ]);
        [$status, $said] = $this->checked($server, 'deaf:p@');
        self::assertSame(1, $status);
        self::assertMatchesRegularExpression('~ERROR: .* a lock could not be taken: .*--prefix tries another name~', $said);
        [$status, $said] = $this->checked($server, 'deaf:p@', ['--prefix', 'app:']);
        self::assertSame(0, $status, $said);
        self::assertStringContainsString('lets no client wait in line', $said);
        self::assertStringContainsString('does not tell everything: CONFIG GET maxmemory-policy', $said);
        self::assertMatchesRegularExpression('~^    user +deaf$~m', $said);
        [$status, $said] = $this->checked($server, 'deaf:wrong@');
        self::assertSame(1, $status);
        self::assertStringContainsString('cannot be asked: AUTH was refused', $said);
        self::assertStringNotContainsString('wrong@', $said);
    }

    public function testTheUserOfTheDocumentsIsFitAndWhatHeMayNotAskIsNamed(): void
    {
        preg_match('~ACL SETUSER locks reset on >password (.*)~', (new Document('docs/operations.md'))->section('Access'), $rules);
        $server = $this->server([], ['user default off', "user locks on >password $rules[1]"]);
        [$status, $said] = $this->checked($server, 'locks:password@', ['--prefix', 'lock:']);
        self::assertSame(0, $status, $said);
        self::assertStringContainsString('take, extend, inspect, release, wait' . "\n", $said);
        self::assertStringContainsString('does not tell everything: INFO server: NOPERM', $said);
        preg_match('~needs `([^`]+)` besides~', (new Document('docs/cli.md'))->section('redlock check'), $besides);
        $server = $this->server([], ['user default off', "user locks on >password $rules[1] $besides[1]"]);
        [$status, $said] = $this->checked($server, 'locks:password@', ['--prefix', 'lock:']);
        self::assertSame(0, $status, $said);
        self::assertStringNotContainsString('does not say', $said);
        self::assertMatchesRegularExpression('~^    user +locks$~m', $said);
    }

    public function testTwoAddressesOfOneServerAreAnErrorThatNamesBoth(): void
    {
        $server = $this->server();
        $unix = 'unix://' . $server->unixPath();
        [$status, $said] = self::redlock(['check', ...self::PATIENT, '-s', "{$server->name()},$unix," . self::servers(1)]);
        self::assertSame(1, $status, $said);
        self::assertStringContainsString("ERROR: $unix is the same server as {$server->name()}: name it once", $said);
        self::assertSame(1, substr_count($said, 'ERROR'), $said);
    }

    /** A node of a cluster. @param list<int|string> $slots from, to */
    private function node(array $slots): RedisServer
    {
        $options = ['cluster-enabled' => 'yes', 'cluster-port' => FreePort::find(), 'cluster-require-full-coverage' => 'no'];
        $node = $this->server($options);
        $node->client()->call('CLUSTER', 'ADDSLOTSRANGE', ...$slots);
        return $node;
    }

    private static function awaitCluster(RedisServer $node, string $fact): void
    {
        Wait::until(static fn (): bool => str_contains($node->client()->call('CLUSTER', 'INFO'), "$fact\r\n"), $fact, 30.0);
    }

    public function testANodeOfAClusterOfSeveralShardsIsAnErrorWhereverTheTriedLockFalls(): void
    {
        $nodes = [$this->node([0, 8191]), $this->node([8192, 16383])];
        $bus = $nodes[1]->client()->call('CONFIG', 'GET', 'cluster-port')[1];
        $nodes[0]->client()->call('CLUSTER', 'MEET', '127.0.0.1', $nodes[1]->port, $bus);
        self::awaitCluster($nodes[0], 'cluster_size:2');
        self::awaitCluster($nodes[0], 'cluster_state:ok');
        for ($i = 0; $i < 8; ++$i) {
            [$status, $said] = $this->checked($nodes[0]);
            self::assertSame(1, $status, $said);
            self::assertStringContainsString('is a node of a cluster', $said);
            self::assertStringContainsString('2 shards have 16384 of its slots', $said);
        }
    }

    public function testANodeThatHasAllSlotsIsFitAndOneThatHasNotIsNone(): void
    {
        $all = $this->node([0, 16383]);
        self::awaitCluster($all, 'cluster_state:ok');
        [$status, $said] = $this->checked($all);
        self::assertSame(0, $status, $said);
        self::assertStringContainsString('is a cluster of one shard', $said);
        $half = $this->node([0, 8191]);
        self::awaitCluster($half, 'cluster_state:ok');
        [$status, $said] = $this->checked($half);
        self::assertSame(1, $status, $said);
        self::assertStringContainsString('1 shards have 8192 of its slots', $said);
    }

    /** @return iterable<string, array{string, string}> the option, and what is told where it is too short */
    public static function timesThatAreTooShort(): iterable
    {
        yield 'for an answer' => ['--timeout', '~ERROR: .* is 1\d\d ms away: use a timeout of (\d+) ms or more \(60 now\)~'];
        yield 'for connecting' => ['--connect-timeout', '~ERROR: .* after \d{3} ms: use a connectTimeout of (\d+) ms or more \(60 now\)~'];
    }

    /** @dataProvider timesThatAreTooShort */
    public function testAServerThatIsFurtherOffThanItsTimeIsAnErrorThatSaysWhichWouldDo(string $option, string $words): void
    {
        $proxy = $this->proxy($this->server());
        $proxy->delay(60);
        $other = $option === '--timeout' ? '--connect-timeout' : '--timeout';
        $check = static fn (string $time): array => self::redlock(['check', $option, $time, $other, '2s', '-s', "127.0.0.1:$proxy->port"]);
        [$status, $said] = $check('60ms');
        self::assertSame(1, $status, $said);
        self::assertSame(1, preg_match($words, $said, $fit), $said);
        [$status, $said] = $check("$fit[1]ms");
        self::assertSame(0, $status, $said);
        self::assertStringNotContainsString('or more (', $said);
    }

    public function testServersThatForgetLocksInACrashAreToldTogether(): void
    {
        $always = $this->server(['appendonly' => 'yes', 'appendfsync' => 'always']);
        $seldom = $this->server(['save' => '3600 1']);
        [, $said] = self::redlock(['check', ...self::PATIENT, '-s', "{$always->name()},{$seldom->name()}," . self::servers(2)]);
        self::assertStringContainsString('forget all locks when they restart: ' . str_replace(',', ', ', self::servers(2)) . ':', $said);
        self::assertStringContainsString("forget the latest locks when they crash: {$seldom->name()}:", $said);
        self::assertStringNotContainsString("{$always->name()}:", strstr($said, 'warning: some'));
    }

    public function testTheClockOfThisMachineIsShown(): void
    {
        [, $said] = self::redlock(['check', ...self::PATIENT]);
        $slewed = 'slewed by [-+.\de]+ ppm';
        self::assertMatchesRegularExpression("~^this machine\n    clock +(synchronized, at most .* off|not synchronized), $slewed$~m", $said);
        [, $said] = self::redlock(['check', '--json', ...self::PATIENT]);
        $clock = json_decode($said, false, 16, JSON_THROW_ON_ERROR)->clock;
        self::assertIsBool($clock->synchronized);
        self::assertLessThan(100_500, abs($clock->slew_ppm));
    }

    public function testItSaysWhatTheGuardWouldSay(): void
    {
        $server = RedisServer::start();
        [, $said] = $this->checked($server);
        self::assertMatchesRegularExpression('~^    guard +would give it none: restarted \d+ s ago, locks may last 60 s~m', $said);
        self::assertMatchesRegularExpression('~^warning: .* was started \d+ s ago~m', $said);
        Wait::until(function () use ($server, &$said): bool {
            [, $said] = $this->checked($server, options: ['--longest-ttl', '1ms']);
            return str_contains($said, 'would give it a vote');
        }, 'the server to be old enough', 5.0);
        self::assertStringNotContainsString('was started', $said);
        $server->client()->call('CONFIG', 'SET', 'maxmemory', '100mb');
        $server->client()->call('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
        [, $said] = $this->checked($server, options: ['--json']);
        $guard = json_decode($said, false, 16, JSON_THROW_ON_ERROR)->servers[0]->guard;
        self::assertStringContainsString('allkeys-lru', $guard);
    }

    public function testAServerThatRunsNoScriptsIsAnErrorThatNamesTheRule(): void
    {
        $server = $this->server([], ['user default off', 'user locks on >password ~* &* +@all -@scripting']);
        [$status, $said] = $this->checked($server, 'locks:password@');
        self::assertSame(1, $status);
        self::assertMatchesRegularExpression('~ERROR: .* a lock could not be taken: .*\+eval \+evalsha~', $said);
    }

    /**
     * @param list<string> $options
     * @return array{int, string}
     */
    private function checked(RedisServer $server, string $user = '', array $options = []): array
    {
        $result = self::redlock(['check', ...self::PATIENT, '-s', "redis://$user{$server->name()}", ...$options]);
        return [$result[0], $result[1]];
    }
}
