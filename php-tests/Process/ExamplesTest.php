<?php

/** The examples of the repository run, without a word of warning. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Tests\Support\PhpProcess;
use RedLock\Tests\Support\ServerTestCase;
use RedLock\Tests\Support\TempFolder;

final class ExamplesTest extends ServerTestCase
{
    /** @dataProvider examples */
    public function testTheExampleRuns(string $path): void
    {
        $fleet = $this->fleet(3);
        $ports = array_combine(['6379', '6380', '6381'], array_map(static fn ($s) => (string) $s->port, $fleet->servers));
        $copy = TempFolder::make() . '/example.php';
        file_put_contents($copy, strtr((string) file_get_contents($path), $ports));
        exec(implode(' ', array_map(escapeshellarg(...), [...PhpProcess::command(), $copy])) . ' 2>&1', $output, $status);
        $output = implode("\n", $output);
        self::assertSame(0, $status, $output);
        self::assertDoesNotMatchRegularExpression('/Warning|Notice|Deprecated|Fatal|busy|down:|lost|somebody/', $output);
        self::assertNotSame('', $output);
        self::assertSame(0, $fleet->keyCount(), 'an example gives back what it takes');
    }

    /** @return iterable<string, array{string}> */
    public function examples(): iterable
    {
        foreach (glob(__DIR__ . '/../../examples/php/*.php') ?: [] as $path) {
            yield basename($path) => [$path];
        }
    }
}
