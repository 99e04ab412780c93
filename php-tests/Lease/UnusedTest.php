<?php

/** A lease that is not kept gives its lock back before the next statement: PHP warns of that, and of nothing else. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\LeaseTestCase;

final class UnusedTest extends LeaseTestCase
{
    private const UNUSED = [
        'if (!$locks->acquire("r")) { return; }', 'if ($locks->acquire("r")) { strlen("x"); }', '$locks->acquire("r");',
        'if ($locks->acquire("r") === null) { return; }', 'if (null !== $locks->acquire("r")) { strlen("x"); }',
        '$ok = (bool) $locks->acquire("r");', '$ok = $locks->acquire("r") !== null;', '$ok = $locks->acquire("r") == null;',
        '$ok = $locks->acquire("r") instanceof RedLock\\Lease;', '$locks->acquire("r") or exit;',
        '$x = $locks->acquire("r") ? 1 : 2;', 'if (1 && $locks->acquire("r")) { strlen("x"); }',
    ];
    private const USED = [
        '$lease = $locks->acquire("r"); unset($lease);', '$lease = $locks->acquire("r"); $lease = null;',
        '(fn ($lease) => 1)($locks->acquire("r"));', 'strlen(get_class($locks->acquire("r")));',
        '$locks->acquire("r")->release();', '$locks->acquire("r")->detach();', '(function () use ($locks) { $lease = $locks->acquire("r"); })();',
        '$leases = [$locks->acquire("r")]; $leases = [];', 'if ($lease = $locks->acquire("r")) { $lease->isLive(); } unset($lease);',
        'if (!($lease = $locks->acquire("r"))) { return; } unset($lease);', 'if (($lease = $locks->acquire("r")) === null) { return; } unset($lease);',
        '$lease = $locks->acquire("r") ?? throw new Error(); $lease = null;', '$object = new stdClass(); $object->lease = $locks->acquire("r"); unset($object);',
        '$locks->synchronized("r", fn () => 1);', '$locks->synchronized("r", function ($lease) { if ($lease) { unset($lease); } });',
        '(fn () => $locks->acquire("r"))();', '$x = fn () => $locks->acquire("r"); $y = $x(); unset($y);',
        '$lease = $locks->acquire("r"); throw new DomainException();', 'throw new DomainException((string) $locks->acquire("r")->isLive());',
    ];

    public function testItIsWarnedOf(): void
    {
        foreach (self::UNUSED as $code) {
            self::assertSame(1, $this->warned($code), $code);
        }
    }

    public function testOthersAreNot(): void
    {
        foreach (self::USED as $code) {
            self::assertSame(0, $this->warned($code), $code);
        }
    }

    public function testItIsSo(): void
    {
        $locks = self::locks();
        if (@!$locks->acquire('r', 60_000)) {
            self::fail();
        }
        self::assertReleased();
    }

    /** How often it was warned of. */
    private function warned(string $code): mixed
    {
        $run = '
            $warned = 0;
            set_error_handler(function (int $code, string $text) use (&$warned): bool {
                $warned += (int) ($code === E_WARNING && str_contains($text, "given back at once"));
                return true;
            });
            $locks = new RedLock\\LockManager($args["servers"]);
            try { (function () use ($locks) { ' . $code . ' })(); } catch (DomainException) {}
            report($warned);
        ';
        self::$fleet->reset();
        return PhpProcess::run($run, ['servers' => self::$fleet->specs(1)]);
    }
}
