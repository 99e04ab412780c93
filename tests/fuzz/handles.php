<?php

/**
 * Feeds generated arrays and scalars to the classes of the built extension.
 *
 * usage: php -d extension=redlock.so handles.php [--seconds N] [--seed S] [--position FILE]
 *        php -d extension=redlock.so handles.php --replay SEED
 *
 * Claims: whatever the arguments, nothing but the documented exceptions leaves a method, no message
 * shows a password, and memory stays flat. Every turn has a seed of its own, which is written to
 * --position beforehand, so that the turn that kills the process can be replayed alone.
 * No server is needed: the addresses that pass are refused at once.
 */

declare(strict_types=1);

const SECRET = 'Tr0ub4dor';
const HOST = '127.0.0.1';
// Up to 256 removals of up to 64 KiB each are carried for each of three servers that are away, and as much is on its way
// into a connection.
const MEMORY_GROWTH_MAX = 2 * 3 * 256 * 65536;

/** Something of any type, rarely what is wanted. */
function anything(int $depth = 2): mixed
{
    return match (mt_rand(0, $depth > 0 ? 17 : 14)) {
        0 => null,
        1 => (bool) mt_rand(0, 1),
        2 => mt_rand(-2, 70000),
        3 => [PHP_INT_MAX, PHP_INT_MIN, -1, 0, 1][mt_rand(0, 4)],
        4 => [NAN, INF, -INF, -0.0, 1e300, 1e-300, 0.05, 2.5][mt_rand(0, 7)],
        5 => '',
        6 => random_text(mt_rand(0, 40)),
        7 => str_repeat(random_text(1), [256, 4097, 65536, 65537, 200000][mt_rand(0, 4)]),
        8 => ['127.0.0.1', 'localhost', '::1', '[::1]:1', '127.0.0.1:1', '/tmp/none.sock'][mt_rand(0, 5)],
        9 => 'redis://user:pass@' . random_text(mt_rand(0, 12)),
        10 => new stdClass(),
        11 => static fn () => 1,
        12 => 'unix://' . random_text(mt_rand(0, 120)),
        13 => '127.0.0.1:' . mt_rand(0, 70000),
        14 => new ArrayObject(['resource' => 'r', 'token' => 't']),
        default => random_array($depth - 1),
    };
}

function random_text(int $length): string
{
    $text = '';
    for ($i = 0; $i < $length; $i++) {
        $text .= chr(mt_rand(0, 255));
    }
    return $text;
}

function random_array(int $depth): array
{
    $keys = ['resource', 'token', 'validity', 'host', 'port', 'timeout', 'auth', 'database', 'user',
        'driftFactor', 'clientName', 'prefix', 'unit', 'mixedFleet', 0, 1, 2, 3, -1, ''];
    $array = [];
    for ($i = mt_rand(0, 5); $i > 0; $i--) {
        $array[$keys[mt_rand(0, count($keys) - 1)]] = anything($depth);
    }
    if (mt_rand(0, 3) === 0) {
        $array['self'] = &$array;
        $array['host'] = &$array['port'];
    }
    return $array;
}

/** Mostly what is wanted, so that the next check is reached. */
function mostly(mixed $usual): mixed
{
    return mt_rand(0, 3) === 0 ? anything() : $usual;
}

function handle(): mixed
{
    if (mt_rand(0, 3) === 0) {
        return random_array(2);
    }
    $handle = ['resource' => mostly('r'), 'token' => mostly('t'), 'validity' => mostly(1.0)];
    if (mt_rand(0, 2) === 0) {
        unset($handle[array_rand($handle)]);
    }
    if (mt_rand(0, 2) === 0) {
        $reference = &$handle['token'];
    }
    return $handle;
}

function server(): mixed
{
    $auth = [null, SECRET, ['someone', SECRET], mostly([mostly('someone'), SECRET])][mt_rand(0, 3)];
    return match (mt_rand(0, 3)) {
        0 => anything(),
        1 => [mostly('127.0.0.1'), mostly(mt_rand(1, 9)), mostly(0.01)],
        2 => ['host' => mostly('127.0.0.1'), 'port' => mostly(mt_rand(1, 9)), 'auth' => $auth,
            'timeout' => mostly(0.01), 'database' => mostly(0)],
        3 => 'redis://someone:' . SECRET . '@127.0.0.1:' . mt_rand(1, 9) . '/' . random_text(mt_rand(0, 2)),
    };
}

function options(): mixed
{
    $options = [];
    foreach (['driftFactor' => 0.01, 'timeout' => 0.01, 'clientName' => 'fuzz', 'unit' => 'ms',
        'prefix' => 'p', 'mixedFleet' => true] as $name => $usual) {
        if (mt_rand(0, 3) === 0) {
            $options[$name] = mostly($usual);
        }
    }
    return $options;
}

/** Anything at all to the constructors, which connect to nothing. */
function constructor_turn(): void
{
    $servers = [];
    for ($i = mt_rand(0, 3); $i >= 0; $i--) {
        $servers[mt_rand(0, 4)] = server();
    }
    tried(static fn () => new RedLock(mostly($servers), mostly(0), mostly(1), mostly(options())));
    tried(static fn () => new PidLock(mostly(server()), mostly(options())));
}

/** Anything at all to the methods, of objects that come to an end at once. */
function quorum_turn(): void
{
    $lock = new RedLock(array_slice([[HOST, 1], [HOST, 2], [HOST, 3]], mt_rand(0, 2)), 0, 1);
    for ($i = 0; $i < 4; $i++) {
        tried(static fn () => match (mt_rand(0, 4)) {
            0 => $lock->lock(mostly('r'), mostly(1000)),
            1 => $lock->unlock(handle()),
            2 => $lock->extend(handle(), mostly(1000)),
            3 => $lock->isHeld(handle()),
            4 => $lock->lastErrors(),
        });
    }
}

function stamp_turn(): void
{
    $lock = new PidLock(HOST . ':1', ['mixedFleet' => (bool) mt_rand(0, 1)]);
    // More attempts could rightly take for ever.
    $retries = [0, -1, PHP_INT_MIN, null, '', 1.5, []][mt_rand(0, 6)];
    for ($i = 0; $i < 4; $i++) {
        tried(static fn () => match (mt_rand(0, 3)) {
            0 => $lock->getPidLock(mostly('p'), mostly(1), mostly(0), $retries, mostly(0.001)),
            1 => $lock->releasePidLock(mostly('p'), mostly(0.003)),
            2 => $lock->holdsPidLock(mostly('p')),
            3 => $lock->remainingPidLock(mostly('p')),
        });
    }
}

function tried(callable $call): void
{
    try {
        $call();
    } catch (ValueError | TypeError | RedLock\Exception $exception) {
        if (str_contains($exception->getMessage(), SECRET)) {
            fail('a message shows the password: ' . $exception->getMessage());
        }
    }
}

function turn(int $seed): void
{
    mt_srand($seed);
    [constructor_turn(...), quorum_turn(...), stamp_turn(...)][mt_rand(0, 2)]();
}

/** Resident bytes: PHP's own figure knows nothing of the core's memory. */
function memory(): int
{
    gc_collect_cycles();
    return 4096 * (int) explode(' ', (string) file_get_contents('/proc/self/statm'))[1];
}

function fail(string $what): never
{
    fwrite(STDERR, "handles.php: $what\n");
    exit(1);
}

function main(array $given): void
{
    set_error_handler(static fn (int $level, string $text) => fail("a warning: $text"));
    set_exception_handler(static fn (Throwable $error) => fail('an undocumented exception: ' . $error));
    if (isset($given['replay'])) {
        turn((int) $given['replay']);
        echo "the turn passed\n";
        return;
    }
    $seconds = (float) ($given['seconds'] ?? 60);
    $seed = (int) ($given['seed'] ?? random_int(1, PHP_INT_MAX >> 1));
    $position = fopen($given['position'] ?? '/dev/null', 'c') ?: fail('cannot write the position');
    $start = hrtime(true);
    $memory = null;
    for ($turns = 0; ($elapsed = (hrtime(true) - $start) / 1e9) < $seconds; $turns++) {
        fseek($position, 0);
        fwrite($position, str_pad((string) ($seed + $turns), 20));
        turn($seed + $turns);
        if ($turns === 20000) {
            $memory = memory();
        }
    }
    $growth = memory() - ($memory ?? PHP_INT_MAX);
    if ($growth > MEMORY_GROWTH_MAX) {
        fail("memory grew by $growth bytes");
    }
    echo "stat::number_of_executed_units: $turns\n";
    echo 'stat::average_exec_per_sec: ', (int) ($turns / max($elapsed, 1e-9)), "\n";
}

main(getopt('', ['seconds:', 'seed:', 'position:', 'replay:']) ?: []);
