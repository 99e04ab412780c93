<?php

/** What goes to a server, and what people read, has a point in its numbers whatever the locale says. */

declare(strict_types=1);

namespace RedLock\Tests\Process;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\TempFolder;
use RedLock\Tests\Support\ServerTestCase;

final class LocaleTest extends ServerTestCase
{
    private const GERMAN = '
        putenv("LOCPATH=" . $args["locales"]);
        report(setlocale(LC_ALL, "de_DE.UTF-8"));
        report(localeconv()["decimal_point"]);
    ';

    private static ?string $locales = null;

    /** A German locale of our own: the system need not have one. */
    private static function locales(): string
    {
        if (self::$locales === null) {
            $folder = TempFolder::make();
            $made = new ChildProcess(['localedef', '-i', 'de_DE', '-f', 'UTF-8', "$folder/de_DE.UTF-8"]);
            self::assertSame(0, $made->wait(120), 'localedef, with the package locales');
            self::$locales = $folder;
        }
        return self::$locales;
    }

    /** @param array<string, mixed> $args */
    private static function german(string $code, array $args): mixed
    {
        $process = PhpProcess::start(self::GERMAN . $code, $args + ['locales' => self::locales()]);
        self::assertSame('de_DE.UTF-8', PhpProcess::report($process));
        self::assertSame(',', PhpProcess::report($process));
        return PhpProcess::report($process);
    }

    public function testPidLockReleasesUnderADecimalComma(): void
    {
        $server = $this->server();
        $code = '
            $lock = new PidLock("redis://{$args["server"]}?timeout=1.5");
            report([
                $lock->getPidLock("p", 60, 0.001, 1, 0.0015), $lock->holdsPidLock("p"), $lock->releasePidLock("p", 0.0025),
                $lock->lastErrors(), $lock->getPidLock("p", 60), $lock->releasePidLock("p"),
            ]);
        ';
        self::assertSame([1, true, true, [], 1, true], self::german($code, ['server' => $server->name()]));
        self::assertSame(0, $server->client()->call('DBSIZE'), 'both releases have removed the key');
    }

    public function testRedLockTakesExtendsAndReleasesUnderADecimalComma(): void
    {
        $server = $this->server();
        $code = '
            $red = new RedLock(["redis://{$args["server"]}?timeout=1.5"], 10, 1, ["driftFactor" => "0.015"]);
            $lock = $red->lock("r", 60000);
            report([$lock["validity"] > 50000, $red->isHeld($lock), is_array($red->extend($lock, 70000)), $red->unlock($lock)]);
        ';
        self::assertSame([true, true, true, true], self::german($code, ['server' => $server->name()]));
        self::assertSame(0, $server->client()->call('DBSIZE'));
    }

    public function testMessagesHaveAPoint(): void
    {
        $server = $this->server();
        $server->stop();
        $code = '
            try {
                (new PidLock("redis://{$args["server"]}?timeout=0.0125"))->getPidLock("p", 10);
            } catch (RedLock\ConnectionException $thrown) {
                report($thrown->getMessage());
            }
        ';
        self::assertStringContainsString('timed out after 12.5 ms', self::german($code, ['server' => $server->name()]));
    }
}
