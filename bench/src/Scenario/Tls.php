<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Budget;
use Bench\Lab;
use Bench\LineProcess;
use Bench\Placement;
use Bench\Rounds;
use Bench\Samples;
use RedLock\Harness\Certificate;
use RedLock\Harness\FreePort;
use RedLock\Harness\RedisServer;

/**
 * What TLS costs: lock+unlock on connections that are there, and a lock for which the client must connect again, on
 * loopback and behind a proxy that delays 1 ms each way.
 *
 * Each contender has servers of its own: TLS in the version that both prefer, and in 1.2, where a session that is taken
 * up exchanges no keys.
 */
final class Tls
{
    private const SERVERS = 3;
    /** Longer than a connection may be used again without a look whether it was closed. */
    private const PAUSE_US = 30_000;
    private const CONTENDERS = ['plain' => null, 'tls' => [], 'tls 1.2' => ['tls-protocols' => 'TLSv1.2']];

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $certificate = new Certificate();
        putenv("REDLOCK_BENCH_CAFILE=$certificate->file");
        $servers = $contenders = $far = $proxies = $cycles = [];
        foreach (self::CONTENDERS as $name => $settings) {
            for ($i = 0; $i < self::SERVERS; $i++) {
                $port = FreePort::find();
                $servers[$name][$port] = RedisServer::start($settings === null ? [] : $settings + $certificate->settings($port));
            }
            $lab->place(Placement::Split, array_values($servers[$name]));
            $plain = array_map(static fn (RedisServer $server) => $server->port, array_values($servers[$name]));
            $ports = $settings === null ? $plain : array_keys($servers[$name]);
            $proxies[$name] = $lab->delayProxy($ports);
            $kind = $settings === null ? 'native' : 'tls';
            $contenders[$name] = self::connected($lab->worker($kind, $ports));
            $far[$name] = self::connected($lab->worker($kind, $proxies[$name]->hello['ports']));
        }
        foreach ((new Budget($lab->settings->seconds['free']))->rounds($lab->settings->loopbackRounds) as $round) {
            Rounds::measure($contenders, $cycles, $round, $lab->settings->loopbackCycles);
        }
        $connects = self::reconnects($lab, $contenders, $servers);
        $farConnects = self::reconnects($lab, $far, $servers);
        array_walk_recursive($servers, static fn (RedisServer $server) => $server->kill9());

        return self::summary($cycles, 'cycle_p50', 'cycle') + self::summary($connects, 'lock_p50', 'reconnect')
            + self::summary($farConnects, 'lock_p50', 'reconnect behind 1 ms');
    }

    private static function connected(LineProcess $worker): LineProcess
    {
        $worker->ask('cycles 20');

        return $worker;
    }

    /**
     * @param array<string, LineProcess> $contenders
     * @param array<string, array<int, RedisServer>> $servers
     * @return array<string, Rounds>
     */
    private static function reconnects(Lab $lab, array $contenders, array $servers): array
    {
        $connects = [];
        foreach ((new Budget($lab->settings->seconds['free']))->rounds($lab->settings->reconnects) as $round) {
            self::reconnect($contenders, $servers, $connects);
        }

        return $connects;
    }

    /**
     * @param array<string, LineProcess> $contenders
     * @param array<string, array<int, RedisServer>> $servers
     * @param array<string, Rounds> $connects
     */
    private static function reconnect(array $contenders, array $servers, array &$connects): void
    {
        foreach ($contenders as $name => $contender) {
            foreach ($servers[$name] as $server) {
                $server->client()->call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
            }
            usleep(self::PAUSE_US);
            ($connects[$name] ??= new Rounds())->add($contender->ask('cycles 1'));
        }
    }

    /**
     * @param array<string, Rounds> $rounds
     * @return array<string, mixed>
     */
    private static function summary(array $rounds, string $column, string $what): array
    {
        $summary = [$what => array_map(static fn (Rounds $of) => $of->summary(), $rounds)];
        foreach (['tls', 'tls 1.2'] as $kind) {
            $summary["$what: $kind / plain"] = Samples::ratio($rounds[$kind]->column($column), $rounds['plain']->column($column));
        }

        return $summary;
    }
}
