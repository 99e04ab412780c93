<?php

declare(strict_types=1);

namespace Bench;

/**
 * The rounds of one contender: of each round its mean, p50 and p99 in µs, of lock+unlock and of each.
 *
 * A figure of a run is the median over its rounds.
 */
final class Rounds
{
    /** @var array<string, list<float>> */
    private array $columns = [];

    private int $failed = 0;

    /** @param array{failed: int, lock_ns: list<int>, unlock_ns: list<int>} $answer */
    public function add(array $answer): void
    {
        ['lock_ns' => $lockNs, 'unlock_ns' => $unlockNs] = $answer;
        $cycleNs = array_map(static fn (int $lock, int $unlock) => $lock + $unlock, $lockNs, $unlockNs);
        $parts = ['cycle' => $cycleNs, 'lock' => $lockNs, 'unlock' => $unlockNs];
        foreach ($parts as $part => $samplesNs) {
            $this->columns["{$part}_mean"][] = Samples::mean($samplesNs) / 1000;
            $this->columns["{$part}_p50"][] = Samples::quantile($samplesNs, 0.50) / 1000;
            $this->columns["{$part}_p99"][] = Samples::quantile($samplesNs, 0.99) / 1000;
        }
        $this->failed += $answer['failed'];
    }

    /**
     * Lets the contenders measure one round, each in its turn; who begins changes from round to round.
     *
     * @param array<string, LineProcess> $contenders
     * @param array<string, self> $rounds
     */
    public static function measure(array $contenders, array &$rounds, int $round, int $cycles): void
    {
        $names = array_keys($contenders);
        foreach (array_keys($names) as $turn) {
            $name = $names[($turn + $round) % count($names)];
            $rounds[$name] ??= new self();
            $rounds[$name]->add($contenders[$name]->ask("cycles $cycles"));
        }
    }

    /** @return non-empty-list<float> one value in µs a round */
    public function column(string $name): array
    {
        return $this->columns[$name];
    }

    /** @return array<string, mixed> */
    public function summary(): array
    {
        return ['unit' => 'us', 'rounds' => count($this->columns['cycle_mean']), 'failed' => $this->failed]
            + array_map(Samples::median(...), $this->columns)
            + ['cycle_mean_of_each_round' => array_map(static fn ($us) => round($us, 2), $this->columns['cycle_mean'])];
    }
}
