<?php

// One measuring process: `worker.php KIND PORTS ATTEMPTS` answers commands on standard input with
// one line of JSON each. `cycles N` times N lock+unlock, `spin N` only runs them, `calls N` times N
// lock() calls whatever comes of them; `turns MS RESOURCE` runs lock+unlock for so long on a resource.

declare(strict_types=1);

namespace Bench;

require __DIR__ . '/../harness/autoload.php';

/** @return array<string, mixed> */
function measure_cycles(Lock $lock, string $resource, int $count): array
{
    $lockNs = $unlockNs = [];
    $failed = 0;
    for ($i = 0; $i < $count; $i++) {
        $begin = hrtime(true);
        $held = $lock->acquire($resource);
        $middle = hrtime(true);
        $released = $lock->release();
        $end = hrtime(true);
        $lockNs[] = $middle - $begin;
        $unlockNs[] = $end - $middle;
        $failed += $held && $released ? 0 : 1;
    }

    return ['failed' => $failed, 'lock_ns' => $lockNs, 'unlock_ns' => $unlockNs];
}

/** @return array<string, mixed> */
function spin(Lock $lock, string $resource, int $count): array
{
    $failed = 0;
    for ($i = 0; $i < $count; $i++) {
        $failed += $lock->acquire($resource) && $lock->release() ? 0 : 1;
    }

    return ['failed' => $failed];
}

/** @return array<string, mixed> */
function measure_calls(Lock $lock, string $resource, int $count): array
{
    $calls = [];
    for ($i = 0; $i < $count; $i++) {
        $begin = hrtime(true);
        try {
            $outcome = $lock->acquire($resource) ? 'locked' : 'false';
        } catch (\Throwable $error) {
            $outcome = $error::class;
        }
        $calls[] = ['ns' => hrtime(true) - $begin, 'outcome' => $outcome];
    }

    return ['calls' => $calls];
}

/** @return array<string, mixed> failed are those that a busy machine let time out */
function take_turns(Lock $lock, int $ms, string $resource): array
{
    $turns = $failed = 0;
    for ($end = hrtime(true) + $ms * 1_000_000; hrtime(true) < $end; $turns++) {
        try {
            $failed += $lock->acquire($resource) && $lock->release() ? 0 : 1;
        } catch (\RedLock\QuorumException) {
            $failed++;
        }
    }

    return ['turns' => $turns, 'failed' => $failed];
}

[, $kind, $ports, $attempts] = $argv;
$lock = new Lock($kind, array_map(intval(...), explode(',', $ports)), (int) $attempts);
$resource = "bench:$kind";
echo json_encode(['ready' => true]), "\n";
while (($line = fgets(STDIN)) !== false) {
    [$verb, $count, $of] = explode(' ', trim($line)) + ['', '', $resource];
    $answer = match ($verb) {
        'cycles' => measure_cycles($lock, $resource, (int) $count),
        'spin' => spin($lock, $resource, (int) $count),
        'calls' => measure_calls($lock, $resource, (int) $count),
        'turns' => take_turns($lock, (int) $count, $of),
    };
    echo json_encode($answer, JSON_THROW_ON_ERROR), "\n";
}
