<?php

/** redlock run --shared: commands that read run together, and one that writes alone. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\Wait;
use RedLock\Tests\Support\CliTestCase;

final class SharedTest extends CliTestCase
{
    private const INSIDE = ['--', 'echo', 'inside'];

    public function testCommandsThatReadRunTogetherAndNoOtherRunsMeanwhile(): void
    {
        $script = ['--', 'sh', '-c', 'echo inside; read line'];
        $readers = array_map(fn () => $this->start(['run', 'r', '--shared', ...self::PATIENT, ...$script]), [1, 2]);
        foreach ($readers as $reader) {
            self::assertSame('inside', $reader->readLine());
        }
        self::assertSame([1, '', "redlock: another client holds 'r'\n"], self::redlock(['run', 'r', ...self::PATIENT, ...self::INSIDE]));
        self::assertStringStartsWith('r: shared by 2 readers for ', self::redlock(['inspect', 'r', ...self::PATIENT])[1]);
        self::assertSame(2, json_decode(self::redlock(['inspect', 'r', '--json', ...self::PATIENT])[1])->readers);
        self::assertStringContainsString('(2 readers)', self::redlock(['top', 'r', '--once', ...self::PATIENT])[1]);
        foreach ($readers as $reader) {
            $reader->writeLine('');
            self::assertSame(0, $reader->wait());
        }
        self::assertSame([0, "inside\n", ''], self::redlock(['run', 'r', ...self::PATIENT, ...self::INSIDE]));
    }

    public function testWhoReadsWaitsForAWriter(): void
    {
        $writer = $this->startScript('echo inside; read line');
        $writer->readLine();
        self::assertSame([1, '', "redlock: another client holds 'r'\n"], self::redlock(['run', 'r', '--shared', ...self::PATIENT, ...self::INSIDE]));
        $reader = $this->start(['run', 'r', '--shared', '-w', 'forever', ...self::PATIENT, ...self::INSIDE]);
        $waiting = static fn (): bool => json_decode(self::redlock(['inspect', 'r', ...self::PATIENT, '--json'])[1])->waiting === 1;
        Wait::until($waiting, 'the reader to stand in line');
        $writer->writeLine('');
        self::assertSame('inside', $reader->readLine());
        self::assertSame(0, $reader->wait());
        self::assertReleased('r');
    }

    public function testItIsForOneResourceOnly(): void
    {
        self::assertSame(
            [64, '', "redlock: --shared is for one RESOURCE only, 2 given\n"],
            self::redlock(['run', 'a', 'b', '--shared', ...self::PATIENT, ...self::INSIDE]),
        );
    }
}
