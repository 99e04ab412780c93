<?php

/** The code of the README and of the recipe runs as it stands. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\Document;

final class DocumentsTest extends StoreTestCase
{
    #[DataProvider('blocks')]
    public function testTheCodeRuns(string $code): void
    {
        foreach (array_slice(self::$fleet->servers, 0, 3) as $i => $server) {
            $code = str_replace("'10.0.0." . $i + 1 . "'", "'" . $server->name() . "'", $code);
        }
        $process = $this->process('
            function bill(int $order): void { report("billed $order"); }
            function save(int $account, int $fence): void { report($fence > 0); }
            eval($args["code"]);
            report(($lock ?? $semaphore)->getRemainingLifetime() > 25);
        ', ['code' => $code]);
        if (str_contains($code, 'bill(')) {
            self::assertSame('billed 42', PhpProcess::report($process));
        }
        if (str_contains($code, 'save(')) {
            self::assertTrue(PhpProcess::report($process), 'there is a fence');
        }
        self::assertTrue(PhpProcess::report($process));
        self::assertSame(0, $process->wait());
    }

    /** @return iterable<string, array{string}> */
    public static function blocks(): iterable
    {
        foreach ((new Document('bridges/symfony/README.md'))->blocks('php') as $i => $block) {
            yield 'the README, ' . $i + 1 => [$block];
        }
        yield 'the recipe' => (new Document('docs/recipes.md'))->blocks('php symfony');
    }
}
