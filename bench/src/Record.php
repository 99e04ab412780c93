<?php

declare(strict_types=1);

namespace Bench;

/** What a run leaves in its folder beside the charts: results.json, and a page that shows it all. */
final class Record
{
    /** @param array<string, string|int> $machine */
    public function __construct(
        private readonly string $target,
        private readonly Settings $settings,
        private readonly array $machine,
        private readonly int $seconds,
    ) {
    }

    /**
     * @param array<string, mixed> $results by scenario
     * @param list<Figure> $figures
     */
    public function writeJson(array $results, array $figures): void
    {
        array_walk_recursive($results, static function (mixed &$value): void {
            $value = is_float($value) ? round($value, 3) : $value;
        });
        $flags = JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_THROW_ON_ERROR;
        $json = json_encode([
            'measured_at' => date('c'),
            'seconds' => $this->seconds,
            'settings' => get_object_vars($this->settings),
            'machine' => $this->machine,
            'figures' => array_map(static fn (Figure $figure) => $figure->toArray(), $figures),
            'results' => $results,
        ], $flags);
        file_put_contents("$this->target/results.json", self::listsOnOneLine($json) . "\n");
    }

    /** @param list<string> $charts names of files in the same folder */
    public function writePage(string $tables, array $charts): void
    {
        $date = date('Y-m-d');
        $machine = Machine::summarise($this->machine);
        $command = $this->settings->quick ? 'bin/bench --quick' : 'bin/bench';
        $images = array_map(static fn ($chart) => '![' . basename($chart, '.svg') . "]($chart)", $charts);
        $images = implode("\n\n", $images);
        file_put_contents("$this->target/README.md", <<<PAGE
            # Measurements

            Written by `$command` on $date in $this->seconds s: $machine.
            `bench/README.md` says what is measured and how; `results.json` holds every figure.

            ```
            $tables```

            $images

            PAGE);
    }

    private static function listsOnOneLine(string $json): string
    {
        return (string) preg_replace_callback(
            '/\[[-\d.eE+,\s]+\]/',
            static fn (array $match) => (string) preg_replace('/\s+/', ' ', $match[0]),
            $json,
        );
    }
}
