<?php

declare(strict_types=1);

namespace Bench;

/** The figures that waiting in line has to reach. */
final class LineFigures
{
    /** By the number of servers: the least share of the ideal, and the longest wait over FIFO's. */
    private const CONTENTION = [1 => [0.96, 1.15], 3 => [0.95, 1.15], 5 => [0.92, 1.2]];
    private const COMMANDS_PER_SERVER = 4.0;

    /**
     * @param array<string, mixed> $line
     * @return list<Figure>
     */
    public static function line(array $line): array
    {
        $figures = [];
        foreach (self::CONTENTION as $count => [$share, $longest]) {
            $of = $line['groups'][$count]['line'];
            $name = sprintf('%d in line, N=%d', Settings::CLIENTS, $count);
            $figures[] = new Figure("$name: locks/s / ideal", '>=', $share, $of['share_of_ideal']);
            $figures[] = new Figure("$name: longest wait / FIFO's", '<=', $longest, $of['longest / fifo']);
            $figures[] = new Figure("$name: commands per lock and server", '<=', self::COMMANDS_PER_SERVER,
                $of['commands_per_lock'] / $count);
        }

        return $figures;
    }

    /**
     * @param array<string, mixed> $of
     * @return list<Figure>
     */
    public static function many(array $of): array
    {
        $name = sprintf('%d in line, N=%d: commands per lock / those of %d', $of['clients'], $of['servers'], Settings::CLIENTS);

        return [new Figure($name, '<=', 1.1, $of['many / few'])];
    }

    /**
     * @param array<int, array<string, float>> $groups
     * @return list<Figure>
     */
    public static function handOver(array $groups): array
    {
        return array_map(
            static fn (int $count) => new Figure("1 ms each way, N=$count: hand-over p50 / one way", '<=', 2.6,
                $groups[$count]['p50 / one_way']),
            array_keys($groups),
        );
    }

    /**
     * @param array<string, mixed> $of
     * @return list<Figure>
     */
    public static function killed(array $of): array
    {
        return [
            new Figure('first waiter killed -9: hand-over / a usual one', '<=', 2.0, $of['dead waiter / usual']),
            new Figure('holder killed -9: next one served after its ttl', '<=', 20, $of['after_the_ttl_ms']['max'], 'ms'),
        ];
    }
}
