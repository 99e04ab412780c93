<?php

/**
 * A program that uses every method and option of the classes, as their users write them. PHPStan has nothing against it
 * at its highest level; it is never run.
 */

declare(strict_types=1);

namespace Everything;

use RedLock\ConnectionException;
use RedLock\DeadlockException;
use RedLock\KeepAliveException;
use RedLock\Lease;
use RedLock\LeaseLostException;
use RedLock\LeaseModeException;
use RedLock\LockManager;
use RedLock\LockManagerInterface;
use RedLock\NotAcquiredException;
use RedLock\NotALockException;
use RedLock\QuorumException;
use RedLock\Testing;

final class Invoices
{
    /** @var list<string> */
    private array $log = [];

    public function __construct(private readonly LockManager $locks)
    {
    }

    public static function open(): self
    {
        return new self(new LockManager(['10.0.0.1', ['10.0.0.2', 6379, 0.2], ['url' => 'rediss://10.0.0.3']], [
            'timeout' => 0.2,
            'connectTimeout' => 0.5,
            'driftFactor' => 0.02,
            'clientName' => 'invoices',
            'line' => true,
            'retryDelay' => 100,
            'keepAliveMax' => 600_000,
            'fenceTtl' => 3_600_000,
            'guard' => ['restart', 'role'],
            'longestTtl' => 3_600_000,
            'replicas' => 1,
            'onEvent' => static function (string $event, array $facts): void {
                printf("%s %s %s\n", $event, implode(' ', (array) $facts['resource']), $facts['reason'] ?? implode(',', $facts['faults']));
            },
        ]));
    }

    /** What the function returns is what synchronized() returns, and its type too. */
    public function total(): int
    {
        $count = $this->locks->synchronized('invoices', static fn (): int => 3);
        $name = $this->locks->synchronized(
            'invoices',
            static fn (Lease $lease): string => implode(' ', (array) $lease->resource),
            ttl: 10_000,
            wait: 5_000,
            options: ['keepAlive' => false, 'interrupt' => true],
        );
        $this->locks->synchronized('invoices', function (): void {
            $this->log[] = 'nothing to return';
        });
        return $count + strlen($name) + strlen($this->locks->synchronized(7, $this->bill(...)));
    }

    public function together(): ?string
    {
        $lease = $this->locks->acquireAll(['invoice:42', 7], 10_000, 3_000, ['owner' => 'web-3']);
        $this->locks->synchronized(['invoice:42', 'invoice:43'], $this->bill(...));
        return $lease === null ? null : json_encode($lease->handle()['resource'], JSON_THROW_ON_ERROR);
    }

    public function read(): string
    {
        $lease = $this->locks->acquireShared('invoice:42', 10_000, 3_000, ['owner' => 'web-3']);
        if ($lease === null || !$lease->promote(500) || !$lease->demote()) {
            return 'busy';
        }
        return ($lease->handle()['shared'] ?? false) ? $this->bill($this->locks->attach($lease->detach())) : 'alone';
    }

    public function oneOfTen(): ?string
    {
        $permit = $this->locks->acquirePermit('api', 10, 10_000, 3_000, ['owner' => 'web-3']);
        return $permit === null ? null : json_encode($permit->handle()['resource'], JSON_THROW_ON_ERROR);
    }

    private function bill(Lease $lease): string
    {
        $lease->assertLive();
        return $lease->token;
    }

    public function work(): bool
    {
        $lease = $this->locks->acquire('invoice:42', 10_000, null, [
            'keepAlive' => true,
            'interrupt' => true,
            'owner' => 'web-3',
            'reentrant' => true,
            'fence' => true,
            'atEnd' => 'keep',
        ]);
        if ($lease === null) {
            $this->log = [...$this->log, ...array_values($this->locks->lastErrors())];
            return false;
        }
        if (!$lease->isLive() || $lease->remaining() < 100.0 || !$lease->confirm()) {
            return false;
        }
        $held = $lease->extend() && $lease->extend(20_000) && $lease->shorten(5_000);
        $this->log[] = $lease->lastErrors()['lock'] ?? 'well';
        $this->log[] = $lease->fence === null ? 'without a fence' : 'fence ' . ($lease->fence + 0);
        return $lease->release() && $held;
    }

    public function passOn(): string
    {
        $lease = $this->locks->acquire('invoice:42') ?? throw new NotAcquiredException('busy');
        $valid = $lease->handle()['validity'];
        $this->log[] = "$valid ms";
        return json_encode($lease->detach(), JSON_THROW_ON_ERROR);
    }

    /** @param array{validity: float, resource: string|int, token: string, fence?: int} $handle */
    public function goOn(array $handle): float
    {
        $options = ['keepAlive' => true, 'interrupt' => true, 'fence' => true, 'atEnd' => 'release', 'ttl' => 60_000];
        return $this->locks->attach($handle, $options)->remaining();
    }

    public static function stop(bool $again): void
    {
        LockManager::cancelWaits();
        LockManager::cancelWaits($again);
    }

    public function look(): ?string
    {
        $seen = $this->locks->inspect('invoice:42');
        foreach ($seen['servers'] as $server => $standing) {
            $this->log[] = $server . ' ' . ($standing['error'] ?? $standing['owner'] ?? $standing['token'] ?? 'free');
        }
        foreach ($seen['line'] as $waiter) {
            $this->log[] = ($waiter['owner'] ?? $waiter['token']) . ' waits for ' . $waiter['waited'] . ' ms';
        }
        if ($seen['decided'] && $seen['ttl'] > 1000.0 && $seen['waiters'] > 10) {
            $this->locks->forceRelease($seen['resource']);
        }
        foreach ($this->locks->stats()['servers'] as $server => $asked) {
            $this->log[] = $server . ': ' . $asked['requests'] . ', ' . ($asked['roundTripP99'] ?? 0.0) . ' ms';
        }
        return $this->locks->owner('invoice:42');
    }
}

/** Typed against the interfaces, so that a double can stand for either. */
final class Report
{
    public function __construct(private readonly LockManagerInterface $locks)
    {
    }

    public function write(): bool
    {
        $lease = $this->locks->acquire('report', 10_000, 500, ['keepAlive' => true]);
        if ($lease === null) {
            return $this->locks->lastErrors() === [] && $this->locks->owner('report') !== null;
        }
        $written = $this->locks->synchronized('page', static fn (): int => 3);
        $lease->assertLive();
        return $lease->isLive() && $lease->remaining() > $written && $lease->confirm() && $lease->extend() && $lease->shorten(5_000)
            && $lease->lastErrors() === [] && $lease->handle()['resource'] === 'report' && $lease->release();
    }

    public function passOn(string $token): string
    {
        $lease = $this->locks->attach(['validity' => 10_000.0, 'resource' => 'report', 'token' => $token]);
        $this->locks->forceRelease('page');
        return $lease->detach()['token'] . $this->locks->inspect('report')['token'] . count($this->locks->stats());
    }
}

function whatIf(LockManagerInterface $locks): bool
{
    Testing::reset();
    Testing::takeAway('report');
    Testing::advance(10_000, 'memory://a');
    Testing::silence('memory://a');
    Testing::refuse('memory://b', 'memory://c');
    Testing::restore();
    Testing::forget();
    return Testing::keys() === [] && (new Report($locks))->write();
}

function oldStyle(): bool
{
    $redLock = new \RedLock([['10.0.0.1', 6379, 0.05], 'redis://10.0.0.2'], 100, 5, [
        'driftFactor' => 0.01,
        'timeout' => 0.1,
        'connectTimeout' => null,
        'clientName' => 'old',
    ]);
    $lock = $redLock->lock('invoices', 10_000);
    if ($lock === false) {
        echo $redLock->lastErrors()['lock'] ?? "busy\n";
    } elseif ($redLock->isHeld($lock)) {
        $longer = $redLock->extend($lock, 20_000);
        echo $longer === false ? 'lost' : $longer['validity'];
    }
    // Which lock() gives where there is no lock.
    return $redLock->unlock($lock);
}

/** Locks that were kept elsewhere as JSON. */
function unlockStored(\RedLock\RedLock $redLock, string $stored): bool
{
    $lock = json_decode($stored, true);
    return is_array($lock) && isset($lock['resource'], $lock['token'])
        && is_string($lock['resource']) && is_string($lock['token']) && $redLock->unlock($lock);
}

final class Prefixed extends \PidLock
{
    protected function _getLockKey(string|int $pid)
    {
        return "app:$pid";
    }
}

function oneServer(): float
{
    $options = [
        'prefix' => 'lock_pid:',
        'unit' => 's',
        'mixedFleet' => true,
        'owner' => 'object',
        'driftFactor' => 0.01,
        'timeout' => 0.1,
        'connectTimeout' => null,
        'clientName' => 'pid',
    ];
    $pidLock = new Prefixed('127.0.0.1:6379', $options);
    if ($pidLock->getPidLock('job', 10, 0.1, 3, 0.001) !== 1) {
        return (float) count($pidLock->lastErrors());
    }
    $left = $pidLock->holdsPidLock('job') ? $pidLock->remainingPidLock('job') : 0.0;
    $pidLock->releasePidLock('job', 0.003);
    return $left;
}

/** @return array<string, string> */
function troubles(): array
{
    try {
        oldStyle();
        Invoices::open()->total();
    } catch (QuorumException|ConnectionException $outage) {
        return $outage->faults();
    } catch (NotALockException|DeadlockException|LeaseModeException|LeaseLostException|NotAcquiredException|KeepAliveException $exception) {
        return ['' => $exception->getMessage()];
    } catch (\RedLock\Exception $exception) {
        return [$exception::class => $exception->getMessage()];
    }
    return [];
}
