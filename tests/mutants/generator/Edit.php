<?php

/** One edit of a source: some bytes replaced, no line more or less. */

declare(strict_types=1);

namespace RedLock\Mutants;

final class Edit
{
    private function __construct(
        public readonly string $kind,
        public readonly string $path,
        /** The first line that changes, counted from 1. */
        public readonly int $line,
        public readonly string $before,
        public readonly string $after,
    ) {
    }

    /** Bytes $start to $end of a source become $replacement. */
    public static function of(string $kind, Code $code, int $start, int $end, string $replacement): self
    {
        $text = $code->text;
        // What asserts tell of their line stays as it was, and so does an object whose code is the same.
        $lines = substr_count($text, "\n", $start, $end - $start) - substr_count($replacement, "\n");
        $replacement .= str_repeat("\n", max(0, $lines));
        $first = (int) strrpos(substr($text, 0, $start), "\n") + ($start > 0 && str_contains(substr($text, 0, $start), "\n") ? 1 : 0);
        $last = strpos($text, "\n", $end);
        $last = $last === false ? strlen($text) : $last;
        return new self(
            $kind,
            $code->path,
            substr_count($text, "\n", 0, $first) + 1,
            substr($text, $first, $last - $first),
            substr($text, $first, $start - $first) . $replacement . substr($text, $end, $last - $end),
        );
    }

    /** What the edit is known by, wherever its lines have moved to. */
    public function key(): string
    {
        return $this->path . "\n" . self::squeeze($this->before) . "\n" . self::squeeze($this->after);
    }

    public static function squeeze(string $lines): string
    {
        return trim(preg_replace('~\s+~', ' ', $lines));
    }

    /** As patch(1) takes it, without lines around. */
    public function patch(): string
    {
        $before = explode("\n", $this->before);
        $after = explode("\n", $this->after);
        return "--- a/$this->path\n+++ b/$this->path\n"
            . sprintf("@@ -%d,%d +%1\$d,%d @@\n", $this->line, count($before), count($after))
            . '-' . implode("\n-", $before) . "\n+" . implode("\n+", $after) . "\n";
    }
}
