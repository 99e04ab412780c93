<?php

declare(strict_types=1);

namespace Bench;

use RuntimeException;

/**
 * Draws the charts with gnuplot, as SVG that follows the reader's light or dark colour scheme.
 *
 * Data goes to gnuplot as tab-separated files in a temporary folder; `?` stands for what is missing:
 * there is no limit of the timestamp lock under contention.
 */
final class Charts
{
    private const KINDS = ['limit', 'native', 'userland'];

    /** The light colours that charts/style.gp draws with, and what replaces them in the dark. */
    private const DARK = ['#ffffff' => '#0d1117', '#1f2328' => '#e6edf3', '#d0d7de' => '#30363d'];

    public function __construct(private readonly string $dir, private readonly string $target)
    {
    }

    /**
     * @param array<string, mixed> $results by scenario
     * @return list<string> the names of the files drawn
     */
    public function draw(array $results): array
    {
        $charts = [
            'loopback' => ['loopback', static fn (array $of) => self::loopbackRows($of['split'])],
            'delay' => ['delay', self::delayRows(...)],
            'stopped' => ['one_stopped', self::stoppedRows(...)],
            'soak' => ['soak', static fn (array $of) => self::soakRows($of['samples'])],
            'contention' => ['contention', self::contentionRows(...)],
            'waits' => ['contention', self::waitRows(...)],
        ];
        $drawn = [];
        foreach ($charts as $name => [$scenario, $rows]) {
            if (isset($results[$scenario])) {
                $this->write($name, $rows($results[$scenario]));
                $drawn[] = $this->plot($name);
            }
        }

        return $drawn;
    }

    /**
     * @param array<string, mixed> $groups
     * @return list<list<string|float>>
     */
    private static function loopbackRows(array $groups): array
    {
        $rows = [];
        foreach ($groups as $group => $of) {
            $row = [$group === 'pid' ? 'PidLock' : "N = $group"];
            foreach (self::KINDS as $kind) {
                array_push($row, $of[$kind]['cycle_p50'], $of[$kind]['cycle_p99']);
            }
            $rows[] = $row;
        }

        return $rows;
    }

    /**
     * @param array<string, mixed> $delay
     * @return list<list<string|float>>
     */
    private static function delayRows(array $delay): array
    {
        $rows = [['one round trip', $delay['round_trip_p50_us'] / 1000]];
        foreach (self::KINDS as $kind) {
            $rows[] = [$kind, $delay[$kind]['lock_p50'] / 1000];
        }

        return $rows;
    }

    /**
     * @param array<string, mixed> $one
     * @return list<list<string|float>>
     */
    private static function stoppedRows(array $one): array
    {
        $rows = [];
        foreach (['limit', 'native'] as $kind) {
            foreach (['p50', 'p99'] as $quantile) {
                $rows[] = ["$kind $quantile", $one['healthy'][$kind]["lock_$quantile"],
                    $one['stopped'][$kind]["lock_$quantile"]];
            }
        }

        return $rows;
    }

    /**
     * @param array<string, mixed> $contention
     * @return list<list<string|float>>
     */
    private static function contentionRows(array $contention): array
    {
        $rows = [];
        foreach ($contention as $group => $of) {
            $row = [$group === 'pid' ? 'PidLock' : "N = $group"];
            foreach (self::KINDS as $kind) {
                array_push($row, $of[$kind]['locks_per_second'] ?? '?', $of[$kind]['commands_sent_per_lock'] ?? '?');
            }
            $rows[] = $row;
        }

        return $rows;
    }

    /**
     * One row a percentile: the waits of every group and kind, in seconds.
     *
     * @param array<string, mixed> $contention
     * @return list<list<string|float>>
     */
    private static function waitRows(array $contention): array
    {
        $rows = [];
        foreach (range(0, 100) as $percentile) {
            $row = [$percentile];
            foreach ($contention as $of) {
                foreach (self::KINDS as $kind) {
                    $ms = $of[$kind]['wait_percentiles_ms'][$percentile] ?? null;
                    $row[] = $ms === null ? '?' : $ms / 1000;
                }
            }
            $rows[] = $row;
        }

        return $rows;
    }

    /**
     * @param list<array{cycles: int, rss_kib: int, descriptors: int}> $samples
     * @return list<list<int>>
     */
    private static function soakRows(array $samples): array
    {
        $base = $samples[0]['rss_kib'];

        return array_map(static fn ($sample) => [$sample['cycles'], $sample['rss_kib'] - $base], $samples);
    }

    /** @param list<list<string|int|float>> $rows */
    private function write(string $name, array $rows): void
    {
        $lines = array_map(static fn (array $row) => implode("\t", $row), $rows);
        file_put_contents("$this->dir/$name.tsv", implode("\n", $lines) . "\n");
    }

    private function plot(string $name): string
    {
        $scripts = dirname(__DIR__) . '/charts';
        $setup = "data='$this->dir/$name.tsv'; chart='$this->dir/$name.svg'";
        $command = ['gnuplot', '-e', $setup, "$scripts/style.gp", "$scripts/$name.gp"];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $output, $status);
        if ($status !== 0) {
            throw new RuntimeException("gnuplot cannot draw $name: " . implode("\n", $output));
        }
        $svg = self::followColourScheme((string) file_get_contents("$this->dir/$name.svg"));
        file_put_contents("$this->target/$name.svg", $svg);

        return "$name.svg";
    }

    /** Light colours stay in the attributes, for viewers without style sheets; a rule swaps them in the dark. */
    private static function followColourScheme(string $svg): string
    {
        // gnuplot writes a colour as #RRGGBB, or as rgb() with or without blanks.
        $svg = (string) preg_replace_callback(
            '/rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)|#[0-9A-F]{6}\b/',
            static fn (array $match) => isset($match[1])
                ? sprintf('#%02x%02x%02x', $match[1], $match[2], $match[3])
                : strtolower($match[0]),
            $svg,
        );
        $rules = '';
        foreach (self::DARK as $light => $dark) {
            foreach (['fill', 'stroke', 'color'] as $property) {
                $rules .= sprintf('[%1$s="%2$s"]{%1$s:%3$s}', $property, $light, $dark);
            }
        }
        $style = "<style>@media (prefers-color-scheme:dark){" . $rules . "}</style>\n<desc>";

        return preg_replace('/<desc>/', $style, $svg, 1);
    }
}
