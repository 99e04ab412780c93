<?php

/** The examples of the repository run, without a word of warning. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\Tests\Support\ServerTestCase;

final class ExamplesTest extends ServerTestCase
{
    /** @dataProvider examples */
    public function testTheExampleRuns(string $path): void
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
        $complaints = '/Warning|Notice|Deprecated|Fatal|busy|down:|lost|somebody/';
        self::assertDoesNotMatchRegularExpression($complaints, $output);
        self::assertNotSame('', $output);
        self::assertSame(0, $fleet->keyCount(), 'an example gives back what it takes');
    }

    /** @return iterable<string, array{string}> */
    public static function examples(): iterable
    {
        foreach (glob(__DIR__ . '/../../examples/php/*.php') ?: [] as $path) {
            yield basename($path) => [$path];
        }
    }
}
