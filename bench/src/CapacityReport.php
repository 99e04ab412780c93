<?php

declare(strict_types=1);

namespace Bench;

/** The tables of what locks cost one server. */
final class CapacityReport
{
    /** @param array<string, mixed> $of */
    public static function text(array $of): string
    {
        return self::crowds($of['crowds']) . "\n" . self::lines($of['lines']) . "\n" . self::standing($of['standing']) . "\n"
            . self::kept($of['kept']);
    }

    /** @param array<int, array<string, array<string, float>>> $crowds */
    private static function crowds(array $crowds): string
    {
        $rows = [];
        foreach ($crowds as $clients => $kinds) {
            foreach ($kinds as $kind => $load) {
                $rows[] = [(string) $clients, $kind, ...self::cost($load),
                    sprintf('%.1f', $load['cpu_us_per_lock'] / $kinds['PING']['cpu_us_per_lock']),
                    sprintf('%.0f', 1e6 / $load['cpu_us_per_lock']), (string) ($load['failed'] ?? '')];
            }
        }

        return Table::text('One server, lock+unlock without a pause: each process alone on its resource, or four in each line', [
            'processes', '', '/s', "server's CPU", 'its µs each', 'requests', 'µs/script', 'PINGs', '/s on a whole CPU', 'failed'], $rows);
    }

    /** @param array<int, array<string, mixed>> $lines */
    private static function lines(array $lines): string
    {
        $rows = [];
        foreach ($lines as $waiting => $of) {
            $rows[] = [(string) $waiting, ...self::cost($of['served']), sprintf('%.0f', $of['bytes_per_place']),
                sprintf('%.1f', $of['bytes_per_client'] / 1024), sprintf('%.1f', $of['idle']['scripts_per_second']),
                sprintf('%.2f %%', 100 * $of['idle']['cpu_share']), (string) $of['overlaps']];
        }

        return Table::text('One server, one line that is handed on without a pause; and while it stands', ['in line', 'locks/s',
            "server's CPU", 'its µs each', 'requests', 'µs/script', 'bytes/place', 'KiB/process', 'standing: joins/s',
            'CPU', 'overlaps'], $rows);
    }

    /** @param array<int, array<string, float>> $lines */
    private static function standing(array $lines): string
    {
        $rows = [];
        foreach ($lines as $places => $of) {
            $row = [(string) $places, sprintf('%.0f', $of['bytes_per_place'])];
            foreach (['join', 'say again', 'pass'] as $verb) {
                $row[] = sprintf('%.0f (%.1f)', $of["$verb: cpu_us"], $of["$verb: script_us"]);
            }
            $rows[] = $row;
        }

        return Table::text("One server, a line that one connection stands in, server's CPU µs (of them in the script) for each",
            ['places', 'bytes/place', 'join', 'join again', 'hand-over'], $rows);
    }

    /** @param array<string, float> $kept */
    private static function kept(array $kept): string
    {
        return sprintf(
            "%d leases of %g s kept alive: %.1f extends a second, %.2f %% of a CPU, %.1f µs each\n",
            $kept['leases'],
            $kept['ttl_ms'] / 1000,
            $kept['scripts_per_second'],
            100 * $kept['cpu_share'],
            1e6 * $kept['cpu_share'] / max(1e-9, $kept['scripts_per_second']),
        );
    }

    /**
     * @param array<string, float> $load
     * @return list<string>
     */
    private static function cost(array $load): array
    {
        return [sprintf('%.0f', $load['locks_per_second']), sprintf('%.0f %%', 100 * $load['cpu_share']),
            sprintf('%.1f', $load['cpu_us_per_lock']), sprintf('%.2f', $load['requests_per_lock']),
            sprintf('%.1f', $load['script_us'])];
    }
}
