<?php

declare(strict_types=1);

namespace Bench;

use RuntimeException;

/** Draws the uncontended cycles with gnuplot, as SVG that follows the reader's light or dark colour scheme. */
final class Chart
{
    private const KINDS = ['limit', 'native', 'userland'];

    /** The light colours that loopback.gp draws with, and what replaces them in the dark. */
    private const DARK = ['#ffffff' => '#0d1117', '#1f2328' => '#e6edf3', '#d0d7de' => '#30363d'];

    /**
     * @param array<string, mixed> $groups the cycles of one placement, by the number of servers
     * @param string $dir a temporary folder
     */
    public static function draw(array $groups, string $dir, string $path): void
    {
        $lines = [];
        foreach ($groups as $group => $of) {
            $row = [$group === 'pid' ? 'PidLock' : "N = $group"];
            foreach (self::KINDS as $kind) {
                array_push($row, $of[$kind]['cycle_p50'], $of[$kind]['cycle_p99']);
            }
            $lines[] = implode("\t", $row) . "\n";
        }
        file_put_contents("$dir/loopback.tsv", $lines);
        $command = ['gnuplot', '-e', "data='$dir/loopback.tsv'; chart='$dir/loopback.svg'", dirname(__DIR__) . '/loopback.gp'];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $output, $status);
        if ($status !== 0) {
            throw new RuntimeException('gnuplot cannot draw the chart: ' . implode("\n", $output));
        }
        file_put_contents($path, self::followColourScheme((string) file_get_contents("$dir/loopback.svg")));
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
