<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Lab;
use Bench\LineProcess;
use Bench\Placement;
use Bench\Samples;
use Bench\ServerLoad;
use Bench\StandingLine;
use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;

/**
 * What locks cost one server: many processes that lock and unlock as fast as they can, on resources of their own and
 * in lines, long lines that are stood in, and leases that are kept alive.
 *
 * The server has a CPU that the processes leave alone. What it spends is what it says itself; beside it stands what a
 * PING costs it next to that, because a busy machine makes both dearer.
 */
final class Capacity
{
    private const CLIENTS_A_LINE = 4;
    private const TTL_MS = 600_000;

    /** How many places a line has that no processes stand in. */
    private const STANDING = [10, 100, 1000];
    private const KEPT_TTL_MS = 30_000;

    /** One after the other: a thousand processes that wake at once keep two cores busy for longer than their time-outs. */
    private const RAMP_US = 10_000;
    private const PATIENT_SECONDS = 60.0;

    /** Every connection of a client is there, and the server knows the scripts. */
    private const WARM_UP_MS = 200;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Split);
        $crowds = [];
        foreach ($lab->settings->capacityClients as $clients) {
            $crowds[$clients]['PING'] = self::pings($lab, $clients);
            $crowds[$clients]['alone'] = self::crowd($lab, 'native-patient', $clients, 1);
            if ($clients >= self::CLIENTS_A_LINE) {
                $crowds[$clients]['in line'] = self::crowd($lab, 'line', $clients, self::CLIENTS_A_LINE);
            }
        }
        $lines = [];
        foreach ($lab->settings->capacityLines as $waiting) {
            $lines[$waiting] = self::line($lab, $waiting);
        }

        return ['crowds' => $crowds, 'lines' => $lines, 'standing' => self::standing($lab), 'kept' => self::kept($lab)];
    }

    /** @return array<string, float> of what is the least that a request can cost; here a lock is a PING */
    private static function pings(Lab $lab, int $clients): array
    {
        $lab->say("capacity: PING by $clients clients");
        $workers = [];
        for ($i = 0; $i < $clients; $i++) {
            $workers[] = $lab->limit($lab->ports(1));
        }
        $each = intdiv($lab->settings->capacityPings, $clients);
        array_map(static fn (LineProcess $worker) => $worker->ask('round_trips 10'), $workers);
        $before = ServerLoad::of($lab->servers[0]);
        array_map(static fn (LineProcess $worker) => $worker->tell("round_trips $each"), $workers);
        array_map(static fn (LineProcess $worker) => $worker->answer(60.0), $workers);

        return ServerLoad::of($lab->servers[0])->since($before, $clients * $each);
    }

    /** @return array<string, float> of processes that take turns without a pause, so many on each resource */
    private static function crowd(Lab $lab, string $kind, int $clients, int $each): array
    {
        $lab->say("capacity: $clients clients, $each on each resource");
        $workers = [];
        for ($i = 0; $i < $clients; $i++) {
            $workers[] = $lab->worker($kind, $lab->ports(1), 1);
        }
        $turns = static function (int $ms) use ($workers, $each): array {
            foreach ($workers as $i => $worker) {
                $worker->tell("turns $ms bench:capacity:" . intdiv($i, $each));
            }
            $answers = array_map(static fn (LineProcess $worker) => $worker->answer($ms / 1e3 + 60.0), $workers);

            return [array_sum(array_column($answers, 'turns')), array_sum(array_column($answers, 'failed'))];
        };
        $turns(self::WARM_UP_MS);
        $before = ServerLoad::of($lab->servers[0]);
        [$locks, $failed] = $turns($lab->settings->capacityMs);
        $load = ServerLoad::of($lab->servers[0])->since($before, $locks) + ['failed' => $failed];
        array_map(static fn (LineProcess $worker) => $worker->end(), $workers);

        return $load;
    }

    /**
     * @return array<string, mixed> of a line that is stood in for a while and then served, each asking again until all
     *     requests are done
     */
    private static function line(Lab $lab, int $waiting): array
    {
        $lab->say("capacity: a line of $waiting");
        $server = $lab->servers[0];
        $empty = ServerLoad::of($server);
        $requests = max($waiting, $lab->settings->capacityRequests);
        $crowd = $lab->contention('line', $lab->ports(1), $waiting, $requests, 0, self::RAMP_US);
        $resource = "bench:contended:$crowd->pid";
        $holder = $lab->waiter('line', $lab->ports(1), self::TTL_MS, $resource);
        $holder->ask('take');
        $connected = ServerLoad::of($server);
        $crowd->tell('go');
        $client = new RespClient("tcp://{$server->name()}", self::PATIENT_SECONDS);
        Wait::until(static fn () => $client->call('ZCARD', "$resource:redlock:line") === $waiting, 'all to stand in line', self::PATIENT_SECONDS);
        $begun = ServerLoad::of($server);
        usleep($lab->settings->capacityIdleMs * 1000);
        $stood = ServerLoad::of($server);
        $bytes = self::bytes($client, "$resource:redlock:line") + self::bytes($client, "$resource:redlock:waiters");
        $holder->tell('give');
        $pass = $crowd->answer(120.0);
        $served = ServerLoad::of($server)->since($stood, $requests);
        $crowd->end();
        $holder->end();

        return ['idle' => $stood->since($begun, 0), 'served' => $served, 'bytes_per_place' => $bytes / $waiting,
            'bytes_per_client' => ($connected->memory - $empty->memory) / $waiting, 'overlaps' => $pass['overlaps']];
    }

    private static function bytes(RespClient $client, string $key): int
    {
        return (int) $client->call('MEMORY', 'USAGE', $key, 'SAMPLES', 0);
    }

    /** @return array<int, array<string, mixed>> of lines that one connection stands in for all, by their lengths */
    private static function standing(Lab $lab): array
    {
        $server = $lab->servers[0];
        $line = StandingLine::learnt($lab);
        $results = [];
        foreach (self::STANDING as $waiting) {
            $lab->say("capacity: $waiting places in one line");
            $spent = ['join' => [], 'say again' => [], 'pass' => []];
            $rounds = intdiv(max(self::STANDING), $waiting);
            for ($round = 0; $round < $rounds; $round++) {
                foreach (['join' => $line->join(...), 'say again' => $line->join(...), 'pass' => $line->pass(...)] as $verb => $do) {
                    $before = ServerLoad::of($server);
                    $do($waiting);
                    $spent[$verb][] = ServerLoad::of($server)->since($before, $waiting);
                    $bytes = $verb === 'say again' ? $line->bytes() : $bytes ?? 0;
                }
            }
            $results[$waiting] = ['bytes_per_place' => $bytes / $waiting];
            foreach ($spent as $verb => $loads) {
                $results[$waiting]["$verb: cpu_us"] = Samples::mean(array_column($loads, 'cpu_us_per_lock'));
                $results[$waiting]["$verb: script_us"] = Samples::mean(array_column($loads, 'script_us'));
            }
        }

        return $results;
    }

    /** @return array<string, float> of leases that one process keeps alive */
    private static function kept(Lab $lab): array
    {
        $lab->say('capacity: kept leases');
        $count = $lab->settings->keptLeases;
        $process = $lab->kept($lab->ports(1));
        $process->ask("keep $count " . self::KEPT_TTL_MS, 120.0);
        $before = ServerLoad::of($lab->servers[0]);
        $process->ask('sleep ' . $lab->settings->capacityIdleMs, 120.0);
        $load = ServerLoad::of($lab->servers[0])->since($before, 0);
        $process->end();
        $lab->servers[0]->client()->call('FLUSHALL');

        return ['leases' => $count, 'ttl_ms' => self::KEPT_TTL_MS] + $load;
    }
}
