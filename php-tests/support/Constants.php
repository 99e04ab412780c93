<?php

/** The named numbers of the C++ headers, so that documents can be compared with them. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

final class Constants
{
    /** @var array<string, string> name => expression */
    private array $expressions = [];

    public function __construct(string $folder)
    {
        $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator(Document::root() . "/$folder"));
        foreach ($files as $file) {
            if ($file->getExtension() === 'hpp') {
                preg_match_all('~constexpr [\w:]+ (k\w+) = ([^;]+);~', (string) file_get_contents($file->getPathname()), $found);
                $this->expressions += array_combine($found[1], $found[2]);
            }
        }
    }

    /** A count, or a Duration in milliseconds. */
    public function value(string $name): int
    {
        $expression = $this->expressions[$name] ?? throw new \RuntimeException("no header has $name");
        $expression = preg_replace(['~Duration::ms\((.*)\)~', '~Duration::seconds\((.*)\)~'], ['($1)', '(($1) * 1000)'], $expression);
        $expression = preg_replace_callback('~\bk\w+~', fn (array $match): string => (string) $this->value($match[0]), $expression);
        if (!preg_match('~^[\d\s*/+()-]+$~', $expression)) {
            throw new \RuntimeException("$name is '$expression', which cannot be reckoned here");
        }
        return eval("return $expression;");
    }
}
