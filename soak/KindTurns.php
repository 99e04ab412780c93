<?php

/**
 * One client that draws a kind of lock, asks for it, goes inside, promotes or demotes what it has, comes out, and so on
 * until SIGTERM.
 *
 * Says "<kind>.acquired", "<kind>.refused" and so on (see WORDS), "trouble <what>" for an exception, and "done" at the
 * end. It may be killed anywhere.
 */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Lease;
use RedLock\LockManager;

final class KindTurns
{
    public const WORDS = [
        'exclusive.acquired', 'exclusive.refused', 'shared.acquired', 'shared.refused', 'promoted.acquired',
        'promoted.refused', 'demoted.acquired', 'demoted.refused', 'several.acquired', 'several.refused',
        'permit.acquired', 'permit.refused', 'extended', 'late', 'trouble', 'done',
    ];
    public const TTL_MS = 2000;
    /** No shorter than any ttl; a server that restarted has no vote for so long. */
    public const LONGEST_TTL_MS = 3000;
    private const DRAW = ['exclusive', 'exclusive', 'shared', 'shared', 'shared', 'several', 'permit', 'permit', 'permit'];
    private const RESOURCES = ['a', 'b'];
    private const PERMITS = 2;

    private bool $goOn = true;
    private readonly LockManager $locks;
    private readonly Insiders $insiders;
    private readonly string $who;

    /** @param array{name: string, servers: list<array<int, mixed>>, judge: int} $plan 'judge': the port of Insiders */
    public function __construct(array $plan)
    {
        $this->locks = new LockManager($plan['servers'], ['guard' => ['restart'], 'longestTtl' => self::LONGEST_TTL_MS]);
        $this->insiders = new Insiders($plan['judge']);
        // Whoever follows a killed one is another.
        $this->who = strtr($plan['name'], ' ', '-') . '#' . getmypid();
    }

    /**
     * Starts a process of its own.
     *
     * @param array<string, mixed> $plan
     */
    public static function start(array $plan, string $extension): ChildProcess
    {
        $command = PhpProcess::command(['extension' => $extension]);
        return new ChildProcess([...$command, __DIR__ . '/processes/kinds.php', json_encode($plan, JSON_THROW_ON_ERROR)]);
    }

    public function run(): void
    {
        pcntl_async_signals(true);
        pcntl_signal(SIGTERM, function (): void {
            $this->goOn = false;
        });
        // Ctrl-C reaches the whole process group; the main program sees to the end.
        pcntl_signal(SIGINT, SIG_IGN);
        while ($this->goOn) {
            try {
                $this->turn();
            } catch (\RedLock\Exception $exception) {
                echo 'trouble ', get_class($exception), ': ', $exception->getMessage(), "\n";
                usleep(50_000);
            }
            usleep(random_int(5_000, 40_000));
        }
        echo "done\n";
    }

    private function turn(): void
    {
        $kind = self::DRAW[array_rand(self::DRAW)];
        $resources = match ($kind) {
            'several' => self::RESOURCES,
            'permit' => ['permits'],
            default => [self::RESOURCES[array_rand(self::RESOURCES)]],
        };
        $before = max(array_map($this->insiders->fence(...), $resources));
        $lease = $this->ask($kind, $resources);
        self::say($kind, $lease !== null);
        if ($lease === null) {
            return;
        }
        $slot = $kind === 'permit' ? (string) $lease->resource : '';
        $stay = new Stay($this->who, $kind, $resources, $before, $lease, self::PERMITS, $slot);
        try {
            $this->stay($stay, $lease);
            echo $lease->isLive() ? '' : "late\n";
        } finally {
            // Before the lease goes out of scope, which releases it.
            $this->insiders->leave($stay);
        }
        if (random_int(0, 1) === 0) {
            $lease->release();
        }
    }

    /** @param list<string> $resources */
    private function ask(string $kind, array $resources): ?Lease
    {
        $wait = [0, 300, 1000][random_int(0, 2)];
        $options = $kind === 'permit' ? [] : ['fence' => random_int(0, 2) > 0];
        return match ($kind) {
            'exclusive' => $this->locks->acquire($resources[0], self::TTL_MS, $wait, $options),
            'shared' => $this->locks->acquireShared($resources[0], self::TTL_MS, $wait, $options),
            'several' => $this->locks->acquireAll($resources, self::TTL_MS, $wait, $options),
            'permit' => $this->locks->acquirePermit($resources[0], self::PERMITS, self::TTL_MS, $wait, $options),
        };
    }

    private function stay(Stay $stay, Lease $lease): void
    {
        $this->insiders->enter($stay);
        $this->work($stay, $lease);
        if ($stay->kind === 'shared' && random_int(0, 2) === 0) {
            $this->promote($stay, $lease);
        }
        if (in_array($stay->kind, ['exclusive', 'promoted'], true) && random_int(0, 2) === 0) {
            $this->demote($stay, $lease);
        }
    }

    /** Mostly for a moment; now and then for so long that servers restart meanwhile. */
    private function work(Stay $stay, Lease $lease): void
    {
        usleep(random_int(0, 9) > 0 ? random_int(0, 4_000) : random_int(200_000, 900_000));
        if (random_int(0, 3) === 0 && $lease->extend()) {
            echo "extended\n";
            $stay->renew($lease);
            $this->insiders->enter($stay);
        }
    }

    /** A lease that is lost meanwhile may be anybody's before it is known: nobody is inside while it is asked. */
    private function promote(Stay $stay, Lease $lease): void
    {
        $this->insiders->leave($stay);
        $promoted = $lease->promote([0, 50, 200][random_int(0, 2)]);
        self::say('promoted', $promoted);
        if ($promoted) {
            $stay->renew($lease);
            $stay->become('promoted', $lease->fence);
        }
        if ($lease->isLive()) {
            $this->insiders->enter($stay);
            $this->work($stay, $lease);
        }
    }

    /** Others may read from the beginning of the call on, whatever comes of it. */
    private function demote(Stay $stay, Lease $lease): void
    {
        $stay->become('demoted', null);
        $this->insiders->enter($stay);
        $demoted = $lease->demote();
        self::say('demoted', $demoted);
        if ($demoted) {
            $this->work($stay, $lease);
        }
    }

    private static function say(string $kind, bool $acquired): void
    {
        echo $kind, $acquired ? ".acquired\n" : ".refused\n";
    }
}
