<?php

// One contention test in PHP: `contend.php KIND PORTS CLIENTS REQUESTS HOLD_US RAMP_US DIR` forks the clients,
// writes one line when all are connected, waits for one line on standard input, runs, and writes one
// line of JSON. Clients take the next request from a shared socket, one byte each, as `ab` does; each begins
// RAMP_US after the one before.
// A hand-over is the time from one holder's first word of release to the next one's return.
// Of the kind `sharing`, each eleventh client is a writer (`line`), the others are readers (`reader`). How many were
// inside at once is counted by the turns' own times, and in `inside` is what that comes to.

declare(strict_types=1);

namespace Bench;

require __DIR__ . '/../harness/autoload.php';

/** Enough attempts that one call waits until it holds the lock, however long the line is. */
const ATTEMPTS = 1000000;

/** Longer than a test takes. */
const SECONDS_MAX = 180;

/** Of the kind `sharing`: ten readers to one writer. */
const CLIENTS_PER_WRITER = 11;

/** @return array{\Socket, \Socket} */
function socket_pair(): array
{
    socket_create_pair(AF_UNIX, SOCK_STREAM, 0, $pair);

    return $pair;
}

/**
 * @param resource $witness a file of its own descriptor: two holders at once cannot both flock() it
 * @return array{int, int, int, int, bool, bool} when it asked, held, was done and had released, in ns; was somebody inside who must not
 *  be; did it share?
 */
function serve_request(Lock $lock, string $resource, int $holdUs, $witness): array
{
    $asked = hrtime(true);
    $lock->acquire($resource);
    $held = hrtime(true);
    $overlap = !flock($witness, ($lock->isShared() ? LOCK_SH : LOCK_EX) | LOCK_NB);
    usleep($holdUs);
    flock($witness, LOCK_UN);
    $done = hrtime(true);
    $lock->release();

    return [$asked, $held, $done, hrtime(true), $overlap, $lock->isShared()];
}

/**
 * How many held it at once, in the mean over the whole run and at most.
 *
 * @param list<array{int, int, int, int, bool, bool}> $turns
 * @return array{mean: float, max: int}
 */
function inside(array $turns, int $elapsedNs): array
{
    $steps = [];
    foreach ($turns as [, $held, $done]) {
        array_push($steps, [$held, 1], [$done, -1]);
    }
    sort($steps);
    $now = $most = 0;
    foreach ($steps as [, $step]) {
        $most = max($most, $now += $step);
    }

    return ['mean' => array_sum(array_map(static fn (array $turn) => $turn[2] - $turn[1], $turns)) / $elapsedNs, 'max' => $most];
}

/**
 * @param list<int> $ports
 * @param \Socket $ready takes a byte when the client is ready, and one when it found no request any more
 * @param \Socket $end is closed when all are done: who ends earlier is in the way of those still at work
 */
function be_client(
    string $kind,
    array $ports,
    int $holdUs,
    int $beginUs,
    string $dir,
    \Socket $ready,
    \Socket $tickets,
    \Socket $end,
): void {
    // Whatever becomes of the parent: nobody waits for ever.
    pcntl_alarm(SECONDS_MAX);
    // Of this run alone: a server that was stopped may keep a key of an earlier one until its ttl is over.
    $resource = 'bench:contended:' . posix_getppid();
    $lock = new Lock($kind, $ports, ATTEMPTS, $dir);
    // One after the other: a thousand at once have the machine busy with nothing else for seconds.
    $door = fopen("$dir/door", 'c');
    flock($door, LOCK_EX);
    $lock->warmUp('bench:warm:' . getmypid());
    flock($door, LOCK_UN);
    $witness = fopen("$dir/witness", 'c');
    socket_write($ready, '.');
    $served = [];
    while (socket_recv($tickets, $ticket, 1, 0) === 1) {
        usleep($served === [] ? $beginUs : 0);
        $served[] = serve_request($lock, $resource, $holdUs, $witness);
    }
    socket_write($ready, '.');
    socket_recv($end, $byte, 1, 0);
    file_put_contents("$dir/client-" . getmypid() . '.json', json_encode($served, JSON_THROW_ON_ERROR));
}

/** @return array<string, mixed> */
function merge_results(string $dir, int $startedNs): array
{
    $turns = [];
    foreach (glob("$dir/client-*.json") ?: [] as $file) {
        array_push($turns, ...json_decode((string) file_get_contents($file), true));
        unlink($file);
    }
    usort($turns, static fn (array $a, array $b) => $a[1] <=> $b[1]);
    $merged = ['elapsed_ns' => max(array_column($turns, 3)) - $startedNs, 'overlaps' => 0, 'wait_ns' => [],
        'hold_ns' => [], 'release_ns' => [], 'hand_over_ns' => []];
    $lastDone = null;
    foreach ($turns as [$asked, $held, $done, $end, $overlap]) {
        $merged['wait_ns'][] = $held - $asked;
        $merged['hold_ns'][] = $done - $held;
        $merged['release_ns'][] = $end - $done;
        $merged['overlaps'] += (int) $overlap;
        if ($lastDone !== null) {
            $merged['hand_over_ns'][] = $held - $lastDone;
        }
        $lastDone = $done;
    }

    $readers = array_values(array_filter($turns, static fn (array $turn) => $turn[5]));
    $writers = array_filter($turns, static fn (array $turn) => !$turn[5]);

    return $merged + [
        'inside' => inside($turns, $merged['elapsed_ns']),
        'readers_inside' => inside($readers, $merged['elapsed_ns']),
        'writer_wait_ns' => array_values(array_map(static fn (array $turn) => $turn[1] - $turn[0], $writers)),
    ];
}

/** One byte of each. */
function hear_from_all(\Socket $ready, int $clients): void
{
    for ($i = 0; $i < $clients; $i++) {
        if (socket_recv($ready, $byte, 1, 0) !== 1) {
            fwrite(STDERR, "contend.php: a client failed\n");
            exit(1);
        }
    }
}

[, $kind, $portList, $clients, $requests, $holdUs, $rampUs, $dir] = $argv;
$ports = array_map(intval(...), explode(',', $portList));
[$readyHere, $readyThere] = socket_pair();
[$ticketsHere, $ticketsThere] = socket_pair();
[$endHere, $endThere] = socket_pair();
$turn = new KernelLock($dir);
for ($i = 0; $i < (int) $clients; $i++) {
    if (pcntl_fork() === 0) {
        socket_close($ticketsHere);
        socket_close($endHere);
        socket_close($readyHere);
        $role = $kind !== 'sharing' ? $kind : ($i % CLIENTS_PER_WRITER === 0 ? 'line' : 'reader');
        be_client($role, $ports, (int) $holdUs, $i * (int) $rampUs, $dir, $readyThere, $ticketsThere, $endThere);
        exit(0);
    }
}
socket_close($readyThere);
hear_from_all($readyHere, (int) $clients);
echo json_encode(['ready' => true]), "\n";
fgets(STDIN);
$startedNs = hrtime(true);
socket_write($ticketsHere, str_repeat('.', (int) $requests));
socket_close($ticketsHere);
hear_from_all($readyHere, (int) $clients);
socket_close($endHere);
while (pcntl_wait($status) > 0) {
    if ($status !== 0) {
        fwrite(STDERR, "contend.php: a client failed\n");
        exit(1);
    }
}
$turn->remove();
echo json_encode(merge_results($dir, $startedNs), JSON_THROW_ON_ERROR), "\n";
