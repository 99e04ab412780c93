<?php

/** The code of the README and of the recipe runs as it stands. */

declare(strict_types=1);

namespace RedLock\PhpLock\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\Document;

final class DocumentsTest extends MutexTestCase
{
    #[DataProvider('blocks')]
    public function testTheCodeRuns(string $code): void
    {
        foreach (array_slice(self::$fleet->servers, 0, 3) as $i => $server) {
            $code = str_replace("'10.0.0." . $i + 1 . "'", "'" . $server->name() . "'", $code);
        }
        $process = $this->process('
            function bill(int $order): void { report("worked"); }
            function save(int $account, int $fence): void { report("worked"); }
            function withdraw(int $amount): int { report("worked"); return $amount; }
            eval($args["code"]);
        ', ['code' => $code]);
        self::assertSame('worked', PhpProcess::report($process));
        self::assertSame(0, $process->wait());
        $fences = self::$fleet->each(static fn ($client): array => $client->call('KEYS', '*:redlock:fence'), 3);
        self::assertSame(count(array_merge(...$fences)), self::$fleet->keyCount(3));
    }

    /** @return iterable<string, array{string}> */
    public static function blocks(): iterable
    {
        $blocks = (new Document('bridges/php-lock/README.md'))->blocks('php');
        yield 'the README' => [$blocks[0]];
        yield 'a fence in the README' => [strtok($blocks[0], "\n") . "\n$blocks[1]"];
        yield 'the recipe' => (new Document('docs/recipes.md'))->blocks('php php-lock');
    }
}
