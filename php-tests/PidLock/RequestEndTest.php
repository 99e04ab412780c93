<?php

/** User code that PHP runs when the request is over for extensions: sessions and streams are closed, objects destroyed. */

declare(strict_types=1);

namespace RedLock\Tests\PidLock;

use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\PidLockTestCase;

final class RequestEndTest extends PidLockTestCase
{
    private const STREAM = '
        final class Held
        {
            public mixed $context;
            public static ?PidLock $lock = null;
            public function stream_open(): bool { return true; }
            public function stream_close(): void { self::$lock->releasePidLock("p"); }
        }
        stream_wrapper_register("held", Held::class);
        Held::$lock = $lock;
        $stream = fopen("held://p", "r");
    ';

    private const SESSION = '
        final class Held implements SessionHandlerInterface
        {
            public function __construct(private PidLock $lock) {}
            public function open(string $path, string $name): bool { return true; }
            public function close(): bool { return $this->lock->releasePidLock("p"); }
            public function read(string $id): string { return ""; }
            public function write(string $id, string $data): bool { return true; }
            public function destroy(string $id): bool { return true; }
            public function gc(int $seconds): int { return 0; }
            // PHP 8.6 asks for them.
            public function create_sid(): string { return "1"; }
            public function validateId(string $id): bool { return true; }
        }
        session_set_save_handler(new Held($lock), false);
        session_start(["use_cookies" => false]);
    ';

    // A cycle, which nothing but the end of the request takes apart.
    private const DESTRUCTOR = '
        final class Held
        {
            public ?self $self = null;
            public function __construct(private PidLock $lock) { $this->self = $this; }
            public function __destruct() { $this->lock->releasePidLock("p"); }
        }
        new Held($lock);
    ';

    /** @return iterable<string, array{string}> */
    public static function endings(): iterable
    {
        yield 'a stream wrapper' => [self::STREAM];
        yield 'a session handler' => [self::SESSION];
        yield 'a destructor' => [self::DESTRUCTOR];
    }

    /** @dataProvider endings */
    public function testALockIsStillOwnedWhileTheRequestIsTakenDown(string $ending): void
    {
        $this->endRequest($ending);
    }

    /** @dataProvider endings */
    public function testAlsoWhenTheRequestIsLeftByExit(string $ending): void
    {
        $this->endRequest("$ending exit;");
    }

    private function endRequest(string $ending): void
    {
        $lock = '$lock = new PidLock($args[0], ["timeout" => 1]);';
        $take = 'ob_start(); report($lock->getPidLock("p", 60));';
        $process = PhpProcess::start("$lock $take $ending", [self::$server->name()]);
        self::assertSame(1, PhpProcess::report($process));
        $process->wait();
        self::assertNull(self::stamp(), 'the last code that runs has released the lock');
    }
}
