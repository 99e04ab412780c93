<?php

/** The examples of the repository run, without a word of warning. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\Tests\Support\Document;
use RedLock\Tests\Support\ServerTestCase;

final class ExamplesTest extends ServerTestCase
{
    private const FOLDER = __DIR__ . '/../../examples/php';

    /** @dataProvider examples */
    public function testTheExampleRuns(string $path): void
    {
        $output = $this->outputOf($path);
        $complaints = '/Warning|Notice|Deprecated|Fatal|busy|down:|\blost\b|somebody/';
        self::assertDoesNotMatchRegularExpression($complaints, $output);
        self::assertNotSame('', $output);
    }

    public function testTheMetricsAreOpenMetrics(): void
    {
        $lines = explode("\n", $this->outputOf(self::FOLDER . '/metrics.php'));
        self::assertSame('# EOF', array_pop($lines));
        $number = '(?<value>-?\d+(\.\d+)?([eE]-?\d+)?)';
        $sample = '/^([a-z][a-z0-9_]*)(\{[a-z]+="(\\\\.|[^"\\\\])*"(,[a-z]+="(\\\\.|[^"\\\\])*")*\})? ' . $number . '$/';
        $suffixes = ['counter' => ['_total'], 'histogram' => ['_bucket', '_count', '_sum'], 'gauge' => ['']];
        $families = [];
        $allowed = [];
        $bucket = 0;
        foreach ($lines as $line) {
            if (preg_match('/^# TYPE ([a-z][a-z0-9_]*) (counter|histogram|gauge)$/', $line, $type)) {
                self::assertNotContains($type[1], $families, 'a family stands in one place');
                $families[] = $type[1];
                $allowed = array_map(static fn (string $suffix): string => $type[1] . $suffix, $suffixes[$type[2]]);
                $bucket = 0;
            } elseif (preg_match('/^# (UNIT|HELP) ([a-z][a-z0-9_]*) (.+)$/', $line, $about)) {
                self::assertSame(end($families), $about[2], $line);
                self::assertTrue($about[1] === 'HELP' || str_ends_with($about[2], "_$about[3]"), $line);
            } else {
                self::assertMatchesRegularExpression($sample, $line);
                preg_match($sample, $line, $of);
                self::assertContains($of[1], $allowed, $line);
                if (str_ends_with($of[1], '_bucket')) {
                    preg_match('/le="(\d+\.\d+|\+Inf)"\} (\d+)$/', $line, $counted);
                    self::assertGreaterThanOrEqual($bucket, (int) $counted[2], $line);
                    $bucket = (int) $counted[2];
                } elseif (str_ends_with($of[1], '_count')) {
                    self::assertSame($bucket, (int) $of['value'], $line);
                }
            }
        }
        self::assertContains('redlock_leases_acquired_total 3', $lines);
    }

    public function testTheLoggerHasWordsForEveryEventAndALevelForOthers(): void
    {
        $example = (string) file_get_contents(self::FOLDER . '/logger.php');
        [$events] = explode('| fact |', (new Document('docs/leases.md'))->section('Be told'));
        self::assertGreaterThan(5, preg_match_all('~^\| `(\w+)` ~m', $events, $names));
        foreach ($names[1] as $event) {
            self::assertStringContainsString("'$event' => [", $example);
        }
        $copy = TempFolder::make() . '/logger.php';
        file_put_contents($copy, $example . "\n(new Events(new Terminal()))('repainted', ['resource' => 'r', 'faults' => []]);\n");
        $output = $this->outputOf($copy);
        self::assertMatchesRegularExpression('~^debug   lock: shortened invoice:42 to \d~m', $output);
        self::assertStringEndsWith('notice  lock: repainted: r', $output);
    }

    public function testOneRebuildsTheCacheAndTheOthersServeTheOldValue(): void
    {
        $lines = explode("\n", $this->outputOf(self::FOLDER . '/cache-rebuild.php'));
        self::assertSame('afterwards: version 2 (fresh)', array_pop($lines));
        $said = array_count_values(array_map(static fn (string $line): string => substr($line, strlen('request 0: ')), $lines));
        self::assertSame(1, $said['version 2 (rebuilt)'] ?? 0, implode("\n", $lines));
        self::assertGreaterThanOrEqual(1, $said['version 1 (old)'] ?? 0, implode("\n", $lines));
        self::assertSame([], array_diff(array_keys($said), ['version 2 (rebuilt)', 'version 1 (old)', 'version 2 (fresh)']));
    }

    /** What an example says, which has ended well and given back what it took. */
    private function outputOf(string $path): string
    {
        $fleet = $this->fleet(3);
        [$a, $b, $c] = $fleet->servers;
        $ports = ['6379' => $a->port, '6380' => $b->port, '6381' => $c->port];
        $copy = TempFolder::make() . '/example.php';
        file_put_contents($copy, strtr((string) file_get_contents($path), $ports));
        $command = array_map(escapeshellarg(...), [...PhpProcess::command(), $copy]);
        exec(implode(' ', $command) . ' 2>&1', $output, $status);
        $output = implode("\n", $output);
        self::assertSame(0, $status, $output);
        // The version of a line in which readers stood ends by itself, too.
        $stays = static fn ($client): array => [...$client->call('KEYS', '*:redlock:fence'), ...array_filter(
            $client->call('KEYS', '*:redlock:waiters'),
            static fn (string $key): bool => $client->call('HKEYS', $key) === ['!'] && $client->call('PTTL', $key) > 0,
        )];
        self::assertSame(count(array_merge(...$fleet->each($stays))), $fleet->keyCount(), 'an example gives back what it takes, but last fences stay');
        return $output;
    }

    /** @return iterable<string, array{string}> */
    public static function examples(): iterable
    {
        foreach (glob(self::FOLDER . '/*.php') ?: [] as $path) {
            yield basename($path) => [$path];
        }
    }
}
