<?php

/** Losses that interrupt whatever PHP code runs: nothing is freed that is in use, and nothing is left. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\Tests\Support\LeaseTestCase;

final class InterruptTest extends LeaseTestCase
{
    private const LOSSES = 100;

    /** @return iterable<string, array{array<string, string|int>}> */
    public static function compilers(): iterable
    {
        $opcache = ['opcache.enable_cli' => 1, 'opcache.file_update_protection' => 0, 'opcache.jit' => 'off'];
        yield 'none' => [[]];
        yield 'opcache' => [$opcache];
    }

    /**
     * @dataProvider compilers
     *
     * @param array<string, string|int> $settings
     */
    public function testLossesInRandomCodeDoNoHarm(array $settings): void
    {
        $seed = random_int(1, 1_000_000);
        self::assertSame([self::LOSSES, []], $this->losses($seed, 0, $settings), "seed $seed");
    }

    public function testAHandlerMayEndTheRequestWhereverItIsTold(): void
    {
        for ($seed = 1; $seed <= 8; $seed++) {
            self::assertSame($seed, $this->losses($seed, $seed, [])['lost'], "seed $seed");
        }
    }

    public function testWhoAsksForInterruptsWithPhpsCompilerIsToldOnceInPhpsLog(): void
    {
        $log = TempFolder::make() . '/log';
        touch($log);
        $code = '
            $locks = new RedLock\LockManager($args["servers"]);
            $leases[] = $locks->acquire("a", 1_000, 0);
            $told = static fn (): int => substr_count(file_get_contents($args["log"]), "the option interrupt is unsafe while opcache.jit is on");
            $before = $told();
            $leases[] = $locks->acquire("b", 1_000, 0, ["interrupt" => true]);
            $leases[] = $locks->attach($locks->acquire("c", 1_000, 0)->detach(), ["interrupt" => true]);
            report([$before, $told()]);
        ';
        $jit = ['opcache.enable_cli' => 1, 'opcache.jit_buffer_size' => '16M', 'opcache.jit' => 'tracing'];
        foreach ([1 => $jit, 0 => ['opcache.jit' => 'off'] + $jit] as $expected => $settings) {
            $settings += ['display_errors' => '0', 'log_errors' => '1', 'error_log' => $log];
            $args = ['servers' => self::$fleet->specs(1), 'log' => $log];
            self::assertSame([0, $expected], PhpProcess::run($code, $args, $settings));
            file_put_contents($log, '');
        }
    }

    /** @param array<string, string|int> $settings */
    private function losses(int $seed, int $endsAt, array $settings): mixed
    {
        $args = ['seed' => $seed, 'losses' => self::LOSSES, 'ends_at' => $endsAt, 'folder' => TempFolder::make()];
        $args['servers'] = self::$fleet->specs(1);
        $code = 'require ' . var_export(dirname(__DIR__) . '/support/random_code.php', true) . ';';
        // A ttl as short as that is warned of.
        return PhpProcess::run($code, $args, ['display_errors' => '0', 'log_errors' => '0'] + $settings);
    }
}
