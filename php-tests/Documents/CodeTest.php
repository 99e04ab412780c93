<?php

/** The PHP in README and the guides runs as it stands, without a word of warning. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use RedLock\Harness\Fleet;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\Tests\Support\Document;
use RedLock\Tests\Support\ServerTestCase;

final class CodeTest extends ServerTestCase
{
    /** What the documents leave out: the objects that they name once, and the work. */
    private const PRELUDE = <<<'END'
        $redLock = new RedLock([['10.0.0.1', 6379], ['10.0.0.2', 6379], ['10.0.0.3', 6379]]);
        $pidLock = new PidLock('10.0.0.1:6379');
        $locks = new RedLock\LockManager([['10.0.0.1', 6379], ['10.0.0.2', 6379], ['10.0.0.3', 6379]]);
        function bill(int $order): void { echo "worked\n"; }
        function finish_order(int $order): void { echo "worked\n"; }
        function pages(): array { return [1, 2, 3]; }
        function is_stale(): bool { return true; }
        function render(int $page): void { echo "worked\n"; }
        function clean_up(): void { echo "worked\n"; }
        function cache_get(string $name): array { return ['stale_at' => 0]; }
        function rebuild(string $name): array { return ['stale_at' => time() + 60]; }
        function show(array $page): void { echo $page['stale_at'] > time() ? "worked\n" : "stale\n"; }
        function new_balance(int $old): int { return $old + 1; }
        function balance_of(int $account): int { return 100; }
        function save_balances(array $balances): void { echo "worked\n"; }
        final class Row
        {
            public function query(string $sql): self { return $this; }
            public function prepare(string $sql): self { return $this; }
            public function fetch(): array { return ['balance' => 1, 'version' => 1]; }
            public function execute(array $values): void {}
            public function rowCount(): int { return 1; }
        }
        $db = new Row();
        END;

    private static Fleet $fleet;

    public static function setUpBeforeClass(): void
    {
        self::$fleet = new Fleet(3);
    }

    public static function tearDownAfterClass(): void
    {
        self::$fleet->end();
    }

    /** @dataProvider blocks */
    public function testTheCodeRuns(string $code): void
    {
        self::$fleet->reset();
        $addresses = [];
        foreach (self::$fleet->servers as $i => $server) {
            $host = '10.0.0.' . ($i + 1);
            $addresses["'$host', 6379"] = "'127.0.0.1', $server->port, 5.0";
            $addresses["'$host:6379"] = "'127.0.0.1:$server->port";
        }
        $path = TempFolder::make() . '/code.php';
        $opening = str_starts_with($code, '<?php') ? '' : "<?php\n";
        file_put_contents($path, strtr($opening . self::PRELUDE . "\n$code", $addresses));
        exec(implode(' ', array_map(escapeshellarg(...), [...PhpProcess::command(), $path])) . ' 2>&1', $output, $status);
        $output = implode("\n", $output);
        self::assertSame(0, $status, $output);
        self::assertDoesNotMatchRegularExpression('/Warning|Notice|Deprecated|Fatal|lost|stale|another client|no majority/', $output);
        $worked = preg_match('/^ *(bill|finish_order|clean_up|render|show|save_balances)\(/m', $code);
        self::assertSame($worked, preg_match('/worked/', $output), 'the work is done where there is some');
    }

    /** @return iterable<string, array{string}> */
    public static function blocks(): iterable
    {
        foreach (['README.md', 'docs/recipes.md', 'docs/leases.md', 'docs/upgrading.md', 'docs/operations.md', 'docs/faq.md'] as $path) {
            foreach ((new Document($path))->blocks('php') as $i => $code) {
                yield $path . ' ' . ($i + 1) => [$code];
            }
        }
    }
}
