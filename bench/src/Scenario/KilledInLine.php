<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Lab;
use Bench\LineProcess;
use Bench\Placement;
use Bench\Samples;
use RedLock\Harness\RedisServer;
use RedLock\Harness\Wait;

/**
 * What it costs the next one in line that somebody in front of it is killed with -9: the first waiter,
 * beside hand-overs without a death, and the holder.
 */
final class KilledInLine
{
    private const SERVERS = 3;
    private const TTL_MS = 1000;
    private const LONG_TTL_MS = 30000;
    private const LINE_KEY = 'bench:killed:redlock:line';

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Free);
        $lab->say('killed in line: waiters');
        $usual = $killed = $holders = [];
        for ($round = 0; $round < $lab->settings->killedRounds; $round++) {
            [$usual[], $killed[]] = self::killFirstWaiter($lab);
        }
        $lab->say('killed in line: holders');
        for ($round = 0; $round < $lab->settings->killedRounds; $round++) {
            $holders[] = self::killHolder($lab);
        }

        return [
            'hand_over_us' => Samples::median($usual),
            'past_a_dead_waiter_us' => Samples::median($killed),
            'dead waiter / usual' => Samples::median($killed) / Samples::median($usual),
            'after_the_ttl_ms' => ['p50' => Samples::median($holders), 'max' => max($holders)],
        ];
    }

    /** @return array{float, float} a hand-over in µs, and one past a waiter that was killed */
    private static function killFirstWaiter(Lab $lab): array
    {
        $crew = [];
        foreach (range(1, 4) as $ignored) {
            $crew[] = $lab->waiter('line', $lab->ports(self::SERVERS), self::LONG_TTL_MS);
        }
        [$holder, $heir, $victim, $next] = $crew;
        $holder->ask('take');
        foreach ([$heir, $victim, $next] as $index => $waiter) {
            self::standInLine($lab, $waiter, $index + 1);
        }
        $usual = self::handOver($holder, $heir);
        $victim->end();
        $past = self::handOver($heir, $next);
        $next->ask('give');
        array_map(static fn (LineProcess $process) => $process->end(), $crew);

        return [$usual, $past];
    }

    /** By how many ms the next one came after the end of what the killed one held. */
    private static function killHolder(Lab $lab): float
    {
        $holder = $lab->waiter('line', $lab->ports(self::SERVERS), self::TTL_MS);
        $next = $lab->waiter('line', $lab->ports(self::SERVERS), self::LONG_TTL_MS);
        $holder->ask('take');
        self::standInLine($lab, $next, 1);
        $holder->end();
        $ends = array_map(static function (RedisServer $server): float {
            $left = $server->client()->call('PTTL', 'bench:killed');

            return hrtime(true) / 1e6 + $left;
        }, self::servers($lab));
        sort($ends);
        $held = $next->answer(5.0)['held_ns'] / 1e6;
        $next->ask('give');
        $next->end();

        return $held - $ends[intdiv(count($ends), 2)];
    }

    /** Lets it ask, and waits until every server has so many in line. */
    private static function standInLine(Lab $lab, LineProcess $waiter, int $place): void
    {
        $waiter->tell('take');
        foreach (self::servers($lab) as $server) {
            $client = $server->client();
            Wait::until(static fn () => $client->call('ZCARD', self::LINE_KEY) === $place, "waiter $place in line");
        }
    }

    private static function handOver(LineProcess $from, LineProcess $to): float
    {
        $from->tell('give');
        $held = $to->answer(5.0)['held_ns'];

        return ($held - $from->answer(5.0)['done_ns']) / 1e3;
    }

    /** @return list<RedisServer> */
    private static function servers(Lab $lab): array
    {
        return array_slice($lab->servers, 0, self::SERVERS);
    }
}
