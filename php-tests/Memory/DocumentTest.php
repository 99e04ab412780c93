<?php

/** What docs/testing.md and README say to try without a server does what they say. */

declare(strict_types=1);

namespace RedLock\Tests\Memory;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\Testing;
use RedLock\Tests\Support\Document;
use RedLock\Tests\Support\ServerTestCase;

final class DocumentTest extends ServerTestCase
{
    /** What the tests in the document are of. */
    private const IMPORT = '<?php
        final class Import
        {
            public function __construct(private readonly RedLock\LockManagerInterface $locks)
            {
            }

            public function run(): bool
            {
                $lease = $this->locks->acquire("import");
                return $lease !== null && $lease->release();
            }
        }
        ?>';

    public function testItsTestsAreTestsThatPass(): void
    {
        [$code, $class, $another, $double] = (new Document('docs/testing.md'))->blocks('php');
        $path = TempFolder::make() . '/ImportTest.php';
        $mock = 'public function testADouble(): void { ' . $double . ' self::assertTrue((new Import($locks))->run()); } }';
        file_put_contents($path, self::IMPORT . "<?php\n" . preg_replace('~\}\s*$~D', $mock, $class));
        exec(implode(' ', array_map(escapeshellarg(...), [...PhpProcess::command(), $_SERVER['argv'][0], '--no-configuration', $path])) . ' 2>&1', $said, $status);
        self::assertSame(0, $status, implode("\n", $said));
        self::assertStringContainsString('OK (4 tests', implode("\n", $said));
        eval($code);
        self::assertNotNull($locks->acquire('r'));
        $this->expectOutputString('mine');
        eval($another);
        Testing::reset();
    }

    public function testTheFirstLineOfTheReadmeIsALock(): void
    {
        foreach (['README.md', 'README.zh-CN.md'] as $path) {
            preg_match("~^php -r '(.*memory://.*)'$~m", implode((new Document($path))->blocks('sh')), $line);
            ob_start();
            eval($line[1]);
            self::assertMatchesRegularExpression('~^29[\d.]+ ms left\n$~D', (string) ob_get_clean(), $path);
        }
    }
}
