<?php

/** The lock of a process that takes turns: RedLock, leases, those waited for in line, PidLock or the old PHP, by one name for each verb. */

declare(strict_types=1);

namespace RedLock\Harness;

use PidLock;
use RedLock;
use RedLock\Lease;
use RedLock\LockManager;

final class TurnLock
{
    private readonly RedLock|LockManager|PidLock|LegacyPidLock $lock;
    private array $handle = [];
    private ?Lease $lease = null;
    private float $trustedUntil = 0.0;

    /** @param array<string, mixed> $plan as Turns has it */
    public function __construct(private readonly array $plan)
    {
        [$host, $port] = $plan['servers'][0];
        $this->lock = match ($plan['kind']) {
            'RedLock' => new RedLock($plan['servers'], retryDelay: (int) ($plan['pause'] * 1000), retryCount: $plan['attempts']),
            // Lost votes are repaired where an extend has time to wait for each server: a server's own timeout is never
            // shorter than this one.
            'LockManager' => new LockManager($plan['servers'], [
                'timeout' => $plan['servers'][0][2],
                'retryDelay' => (int) ($plan['pause'] * 1000),
                'driftFactor' => $plan['drift_factor'],
            ]),
            'in line' => new LockManager($plan['servers']),
            'PidLock' => new PidLock("$host:$port", ['mixedFleet' => $plan['mixed_fleet']]),
            'old PHP' => new LegacyPidLock(new RespClient("tcp://$host:$port")),
        };
    }

    public function take(float $seconds): bool
    {
        if ($this->lock instanceof RedLock) {
            return $this->note($this->lock->lock($this->plan['resource'], (int) ($seconds * 1000)));
        }
        if ($this->lock instanceof LockManager) {
            $waitMs = (int) ($this->plan['pause'] * $this->plan['attempts'] * 1000);
            $options = ['keepAlive' => $this->plan['kind'] === 'LockManager'];
            $this->lease = $this->lock->acquire($this->plan['resource'], (int) ($seconds * 1000), $waitMs, $options);
            if ($this->lease === null) {
                return false;
            }
            $this->look($this->lease);
            return true;
        }
        $pause = $this->plan['pause'];
        return $this->lock->getPidLock($this->plan['resource'], $seconds - 0.001, $pause, $this->plan['attempts'] - 1) === 1;
    }

    /** Only RedLock can be extended. */
    public function extend(float $seconds): bool
    {
        return $this->note($this->lock->extend($this->handle, (int) ($seconds * 1000)));
    }

    /** Whether a lease that is kept alive has been ours until now; others know their end beforehand. */
    public function wasKept(): bool
    {
        return $this->lease === null || $this->look($this->lease);
    }

    /** Whether it is live; notes for how long it can be trusted. */
    private function look(Lease $lease): bool
    {
        $left = $lease->remaining();
        if ($left > 0.0) {
            $this->trustedUntil = Wait::now() + $left / 1000;
        }
        return $left > 0.0;
    }

    /** When the keys of a lease that is kept alive end, by what was known when it last was seen to be live. */
    public function keysEnd(): float
    {
        return $this->trustedUntil + $this->plan['drift_factor'] * $this->plan['lease'];
    }

    /** How long it may be trusted from now on, straight after it was taken or extended; INF where the class cannot say. */
    public function validSeconds(): float
    {
        return match (true) {
            $this->lock instanceof RedLock => $this->handle['validity'] / 1000,
            $this->lock instanceof PidLock => $this->lock->remainingPidLock($this->plan['resource']),
            default => INF,
        };
    }

    public function give(): void
    {
        if ($this->lock instanceof RedLock) {
            $this->lock->unlock($this->handle);
        } elseif ($this->lock instanceof LockManager) {
            $this->lease = null;
        } else {
            $this->lock->releasePidLock($this->plan['resource']);
        }
    }

    private function note(array|false $handle): bool
    {
        if ($handle === false) {
            return false;
        }
        $this->handle = $handle;
        return true;
    }
}
