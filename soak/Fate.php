<?php

/** The faults of one victim, fired one after the other when their time has come. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\Wait;

final class Fate
{
    private float $next;
    private bool $suffering = false;

    /** @param list<Fault> $faults */
    public function __construct(private readonly Victim $victim, private array $faults)
    {
        $this->next = Wait::now() + ($faults[0]->wait ?? 0.0);
    }

    /**
     * Fires or ends what is due.
     *
     * @return ?string the kind of fault that was fired
     */
    public function step(bool $mayFire): ?string
    {
        if ($this->faults === [] || Wait::now() < $this->next || (!$this->suffering && !$mayFire)) {
            return null;
        }
        if ($this->suffering) {
            $this->victim->recover(array_shift($this->faults));
            $this->suffering = false;
            $this->next = Wait::now() + ($this->faults[0]->wait ?? 0.0);
            return null;
        }
        $this->victim->suffer($this->faults[0]);
        $this->suffering = true;
        // From now on and not from when it was due: a killed server must stay away for the whole of it.
        $this->next = Wait::now() + $this->faults[0]->lasts;
        return $this->faults[0]->kind;
    }

    public function isSuffering(): bool
    {
        return $this->suffering;
    }
}
