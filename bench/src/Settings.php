<?php

declare(strict_types=1);

namespace Bench;

/** How much of everything is measured: the recorded run, or the quick one for a first look. */
final class Settings
{
    public const CLIENTS = 100;
    public const HOLD_US = 5000;
    public const DELAY_US = 1000;

    /**
     * @param list<int> $capacityClients
     * @param list<int> $capacityLines
     * @param array<string, float> $seconds what each part takes at most; idle machines need far less
     */
    private function __construct(
        public readonly bool $quick,
        public readonly int $loopbackRounds,
        public readonly int $loopbackCycles,
        public readonly int $delayRounds,
        public readonly int $delayCycles,
        public readonly int $stoppedRounds,
        public readonly int $stoppedCycles,
        public readonly int $allStoppedTrials,
        public readonly int $soakCycles,
        public readonly int $contentionPasses,
        public readonly int $contentionRequests,
        public readonly int $contendedStoppedRounds,
        public readonly int $contendedStoppedRequests,
        public readonly int $keptLeases,
        public readonly int $keptMs,
        public readonly int $lostLeases,
        public readonly int $lineRequests,
        public readonly int $lineClientsMany,
        public readonly int $handOvers,
        public readonly int $killedRounds,
        public readonly int $webRequests,
        public readonly int $reconnects,
        public readonly array $capacityClients,
        public readonly array $capacityLines,
        public readonly int $capacityRequests,
        public readonly int $capacityPings,
        public readonly int $capacityMs,
        public readonly int $capacityIdleMs,
        public readonly array $seconds,
    ) {
    }

    public static function full(): self
    {
        return new self(
            quick: false,
            loopbackRounds: 75,
            loopbackCycles: 200,
            delayRounds: 7,
            delayCycles: 60,
            stoppedRounds: 9,
            stoppedCycles: 2000,
            allStoppedTrials: 5,
            soakCycles: 1000000,
            contentionPasses: 1,
            contentionRequests: 1000,
            contendedStoppedRounds: 3,
            contendedStoppedRequests: 2000,
            keptLeases: 10000,
            keptMs: 60000,
            lostLeases: 100,
            lineRequests: 1000,
            lineClientsMany: 1000,
            handOvers: 400,
            killedRounds: 15,
            webRequests: 1000,
            reconnects: 200,
            capacityClients: [1, 4, 16],
            capacityLines: [10, 100],
            capacityRequests: 2000,
            capacityPings: 20000,
            capacityMs: 6000,
            capacityIdleMs: 20000,
            seconds: ['split' => 60, 'shared' => 25, 'free' => 25, 'delay' => 30, 'stopped' => 30, 'soak' => 420],
        );
    }

    public static function quick(): self
    {
        return new self(
            quick: true,
            loopbackRounds: 20,
            loopbackCycles: 120,
            delayRounds: 3,
            delayCycles: 20,
            stoppedRounds: 3,
            stoppedCycles: 1000,
            allStoppedTrials: 1,
            soakCycles: 50000,
            contentionPasses: 1,
            contentionRequests: 200,
            contendedStoppedRounds: 1,
            contendedStoppedRequests: 1000,
            keptLeases: 2000,
            keptMs: 5000,
            lostLeases: 20,
            lineRequests: 300,
            lineClientsMany: 300,
            handOvers: 60,
            killedRounds: 3,
            webRequests: 200,
            reconnects: 40,
            capacityClients: [1, 4, 16],
            capacityLines: [10, 100],
            capacityRequests: 1000,
            capacityPings: 5000,
            capacityMs: 2000,
            capacityIdleMs: 10000,
            seconds: ['split' => 8, 'shared' => 3, 'free' => 4, 'delay' => 4, 'stopped' => 6, 'soak' => 10],
        );
    }
}
