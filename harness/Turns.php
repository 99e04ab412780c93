<?php

/**
 * One worker: takes the lock, goes inside past the witness, comes out, gives the lock back, and so on until SIGTERM.
 *
 * Says "turn <microseconds waited> <nanoseconds on the clock when it got the lock>" after each turn, "asks
 * <nanoseconds>" when it begins to wait, where that is wanted, "extended" for a lock that was, "lost" for a turn that
 * ended early because a lease was, "late" for one that outlasted its lock, "trouble <what>" for an exception, and "done"
 * at the end. Waiting begins when it asks, after its rest. It may be killed anywhere.
 */

declare(strict_types=1);

namespace RedLock\Harness;

final class Turns
{
    private bool $goOn = true;
    private readonly TurnLock $lock;
    private readonly Witness $witness;

    /**
     * @param array<string, mixed> $plan 'name'; 'kind' of lock: RedLock, LockManager, PidLock or old PHP; 'servers'; the witness's
     *     'folder'; 'resource'; 'lease', 'pause' between attempts, 'inside', 'trouble_rest' in seconds; 'attempts';
     *     'rest': the shortest and the longest in seconds; 'extend_one_in' so many turns, 0 for none; 'mixed_fleet';
     *     'tells_of_asking': whether it says so when it begins to wait; 'look_every': seconds between two looks whether a lease that is kept alive is live, null for none; 'drift_factor'
     */
    public function __construct(private readonly array $plan)
    {
        $this->lock = new TurnLock($plan);
        $this->witness = new Witness($plan['folder']);
    }

    /**
     * Starts a process of its own that takes turns.
     *
     * @param array<string, mixed> $plan
     * @param array<string, string|int> $settings for php.ini
     */
    public static function start(array $plan, array $settings = []): ChildProcess
    {
        $plan += ['extend_one_in' => 0, 'mixed_fleet' => false, 'look_every' => null, 'tells_of_asking' => false, 'drift_factor' => 0.01];
        $json = json_encode($plan, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
        return new ChildProcess([...PhpProcess::command($settings), __DIR__ . '/processes/turns.php', $json]);
    }

    public function run(): void
    {
        pcntl_async_signals(true);
        pcntl_signal(SIGTERM, function (): void {
            $this->goOn = false;
        });
        // Ctrl-C reaches the whole process group; the main program sees to the end.
        pcntl_signal(SIGINT, SIG_IGN);
        [$shortest, $longest] = array_map(self::microseconds(...), $this->plan['rest']);
        $since = hrtime(true);
        while ($this->goOn) {
            if ($this->turn($since)) {
                usleep(random_int($shortest, $longest));
                $since = hrtime(true);
            }
        }
        echo "done\n";
    }

    /** False: the lock was not to be had, and is asked for again at once. */
    private function turn(int $since): bool
    {
        $inside = false;
        $waited = $got = 0;
        $oneIn = $this->plan['extend_one_in'];
        $extends = $oneIn > 0 && random_int(1, $oneIn) === 1;
        try {
            echo $this->plan['tells_of_asking'] ? "asks $since\n" : '';
            // A lock that is extended is taken for half a lease each time, so that no key lives longer than one.
            if (!$this->lock->take($this->plan['lease'] * ($extends ? 0.5 : 1.0))) {
                return false;
            }
            // What a pause leaves of the validity after this line, the word "late" tells.
            $until = Wait::now() + $this->lock->validSeconds();
            $got = hrtime(true);
            $waited = intdiv($got - $since, 1000);
            $this->witness->enter($this->plan['name']);
            $inside = true;
            $this->work($this->plan['inside'] / 2);
            if ($extends && $this->lock->extend($this->plan['lease'] * 0.5)) {
                // Counted from the answer: a pause before this line would make it too late a moment, by less than a pause.
                $until = max($until, Wait::now() + $this->lock->validSeconds());
                echo "extended\n";
            }
            $this->work($this->plan['inside'] / 2);
            $kept = $this->lock->wasKept();
            $overstays = !$kept && Wait::now() > $this->lock->keysEnd();
            if ($overstays) {
                $this->witness->overstayed($this->lock->keysEnd());
            }
            $this->witness->leave();
            $inside = false;
            $lost = !$kept && $this->plan['look_every'] !== null;
            $late = $overstays || Wait::now() > $until || (!$kept && !$lost);
            echo $lost ? "lost\n" : '', $late ? "late\n" : '', "turn $waited $got\n";
            $this->lock->give();
        } catch (\RedLock\Exception $exception) {
            echo 'trouble ', get_class($exception), ': ', $exception->getMessage(), "\n";
            if ($inside) {
                $this->witness->leave();
                echo "turn $waited $got\n";
            }
            usleep(self::microseconds($this->plan['trouble_rest']));
            return $inside;
        }
        return true;
    }

    /** Ends early where it finds the lease lost. */
    private function work(float $seconds): void
    {
        $slice = $this->plan['look_every'] ?? $seconds;
        for ($end = Wait::now() + $seconds; $this->lock->wasKept() && ($left = $end - Wait::now()) > 0;) {
            usleep(self::microseconds(min($slice, $left)));
        }
    }

    private static function microseconds(float $seconds): int
    {
        return (int) round($seconds * 1e6);
    }
}
