<?php

declare(strict_types=1);

namespace Bench;

/** What a run leaves in its folder: results.json with every number, and a page with the figures to reach and a chart. */
final class Record
{
    /**
     * @param array<string, string|int> $machine
     * @param string $dir a temporary folder
     */
    public function __construct(
        private readonly string $dir,
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

    /**
     * @param array<string, mixed> $results by scenario
     * @param list<Figure> $figures
     */
    public function writePage(array $results, array $figures): void
    {
        $date = date('Y-m-d');
        $machine = Machine::summarise($this->machine);
        $command = $this->settings->quick ? 'bin/bench --quick' : 'bin/bench';
        $table = Report::figuresPage($figures);
        $chart = '';
        if (isset($results['loopback'])) {
            Chart::draw($results['loopback']['split'], $this->dir, "$this->target/loopback.svg");
            $chart = "\n![Time per lock and unlock without contention: limit, native and userland](loopback.svg)\n";
        }
        file_put_contents("$this->target/README.md", <<<PAGE
            # Measurements

            `$command` wrote this page on $date, in $this->seconds s. [bench/README.md](../../bench/README.md) says what is measured and how.
            [results.json](results.json) holds every number, and `bin/bench` prints them as tables.

            The machine: $machine.

            - **limit**: a bare C++ loop over hiredis, the least that such a lock costs
            - **native**: this extension
            - **userland**: the PHP class that it replaces, on phpredis
            - **N**: the number of servers
            - **own CPU**: the client has a CPU to itself
            - **1 ms each way**: a proxy delays every byte by 1 ms
            - **in line**: processes want one lock for 5 ms each. Ideal: no gap between two locks. FIFO: no client overtakes another

            $table$chart
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
