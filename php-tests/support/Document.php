<?php

/** A document of the repository, as something to test: its tables and code blocks, found by the heading above them. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

final class Document
{
    private readonly string $text;

    public function __construct(private readonly string $path)
    {
        $this->text = (string) file_get_contents(self::root() . "/$path");
    }

    public static function root(): string
    {
        return dirname(__DIR__, 2);
    }

    /** What stands below a heading, up to the next one of any level. */
    public function section(string $heading): string
    {
        $pattern = '~^#+ ' . preg_quote($heading, '~') . '\n(.*?)(?=^#{1,6} [^\n]*\n(?:\n|\z)|\z)~ms';
        if (!preg_match($pattern, $this->text, $match)) {
            throw new \RuntimeException("$this->path has no heading '$heading'");
        }
        return $match[1];
    }

    /** The first block of code below a heading. */
    public function code(string $heading): string
    {
        if (!preg_match('~^```\w*\n(.*?)^```$~ms', $this->section($heading), $match)) {
            throw new \RuntimeException("$this->path has no code below '$heading'");
        }
        return $match[1];
    }

    /**
     * The rows of the table below a heading, by their first cell, without the marks of code.
     *
     * @return array<string, list<string>> the other cells
     */
    public function table(string $heading): array
    {
        preg_match_all('~^\| (.*) \|$~m', $this->section($heading), $lines);
        $rows = [];
        foreach (array_slice($lines[1], 1) as $line) {
            $cells = array_map(
                static fn (string $cell): string => strtr($cell, ['`' => '', '\|' => '|']),
                preg_split('~ (?<!\\\\)\| ~', $line),
            );
            $rows[array_shift($cells)] = $cells;
        }
        if ($rows === []) {
            throw new \RuntimeException("$this->path has no table below '$heading'");
        }
        return $rows;
    }

    /** @return list<string> all blocks of code in a language */
    public function blocks(string $language): array
    {
        preg_match_all("~^```$language\\n(.*?)^```$~ms", $this->text, $matches);
        return $matches[1];
    }
}
