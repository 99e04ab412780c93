<?php

declare(strict_types=1);

namespace Bench;

/** A table of plain text, its columns as wide as they need, or of Markdown. */
final class Table
{
    /**
     * @param list<string> $header
     * @param list<list<string>> $rows
     */
    public static function text(string $title, array $header, array $rows): string
    {
        $widths = array_map(
            static fn (int $column) => max(array_map(mb_strlen(...), array_column([$header, ...$rows], $column))),
            array_keys($header),
        );
        $lines = array_map(static function (array $row) use ($widths): string {
            $cells = array_map(
                static fn (string $cell, int $width) => $cell . str_repeat(' ', $width - mb_strlen($cell)),
                $row,
                $widths,
            );

            return rtrim('  ' . implode('  ', $cells));
        }, [$header, ...$rows]);

        return "$title\n" . implode("\n", $lines) . "\n";
    }

    /**
     * @param list<string> $header
     * @param list<list<string>> $rows
     */
    public static function markdown(array $header, array $rows): string
    {
        $line = static fn (array $cells) => '| ' . implode(' | ', $cells) . " |\n";

        return $line($header) . str_repeat('|---', count($header)) . "|\n" . implode(array_map($line, $rows));
    }
}
