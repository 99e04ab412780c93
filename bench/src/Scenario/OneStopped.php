<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Budget;
use Bench\Lab;
use Bench\LineProcess;
use Bench\Placement;
use Bench\Rounds;
use Bench\Samples;

/**
 * Five servers of which one is stopped with SIGSTOP, another one each round: lock p99 against the
 * healthy p99 of the same round. The calls right after the stop are counted too.
 */
final class OneStopped
{
    private const SETTLE_CYCLES = 300;

    /** PHP's own default is 60 s; shortened, since the documents' class waits for all of it. */
    private const SOCKET_SECONDS = 1.0;

    /** @return array<string, mixed> */
    public static function run(Lab $lab): array
    {
        $lab->place(Placement::Split);
        $contenders = $lab->contenders($lab->ports());
        unset($contenders['userland']);
        $healthy = $stopped = [];
        $cycles = $lab->settings->stoppedCycles;
        $budget = new Budget($lab->settings->seconds['stopped']);
        foreach ($budget->rounds($lab->settings->stoppedRounds) as $round) {
            self::settle($contenders);
            Rounds::measure($contenders, $healthy, $round, $cycles);
            $server = $lab->servers[$round % Lab::SERVERS];
            $server->stop();
            Rounds::measure($contenders, $stopped, $round, $cycles);
            $server->cont()->ready();
        }
        $ratios = [];
        foreach ($stopped as $name => $of) {
            $ratios[$name] = Samples::ratio($of->column('lock_p99'), $healthy[$name]->column('lock_p99'));
        }

        return [
            'healthy' => array_map(static fn (Rounds $of) => $of->summary(), $healthy),
            'stopped' => array_map(static fn (Rounds $of) => $of->summary(), $stopped),
            'lock_p99 stopped / healthy' => $ratios,
            'userland' => self::userlandCall($lab),
        ];
    }

    /**
     * Gives broken connections the time to come back and late answers the time to be consumed.
     *
     * @param array<string, LineProcess> $contenders
     */
    private static function settle(array $contenders): void
    {
        foreach ([1, 2] as $_) {
            array_map(static fn ($contender) => $contender->ask('cycles ' . self::SETTLE_CYCLES), $contenders);
            usleep(100_000);
        }
    }

    /** @return array<string, mixed> one lock() of the documents' class with one server stopped */
    private static function userlandCall(Lab $lab): array
    {
        $worker = $lab->worker('userland', $lab->ports(), socketSeconds: self::SOCKET_SECONDS);
        $worker->ask('cycles 5');
        $lab->servers[0]->stop();
        $call = $worker->ask('calls 1')['calls'][0];
        $lab->servers[0]->cont()->ready();

        return ['default_socket_timeout_s' => self::SOCKET_SECONDS, 'returned_after_ms' => $call['ns'] / 1e6,
            'outcome' => $call['outcome']];
    }
}
