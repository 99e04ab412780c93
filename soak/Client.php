<?php

/** A place for one client process: when it is killed, the next one takes it. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Turns;

final class Client implements Victim
{
    public ChildProcess $process;
    public int $turns = 0;
    public int $extended = 0;
    public int $troubles = 0;
    /** Turns that lasted longer than the lock was valid: this machine left the model. */
    public int $late = 0;
    /** Turns that ended early, because the lease was lost. */
    public int $lost = 0;
    public int $kills = 0;
    public bool $done = false;

    /**
     * @param array<string, mixed> $plan for Turns
     * @param string $extension the file to load
     */
    public function __construct(private readonly array $plan, private readonly string $extension)
    {
        $this->launch();
    }

    private function launch(): void
    {
        $this->process = Turns::start($this->plan, ['extension' => $this->extension]);
    }

    /** Takes in what the process has said, and minds that it lives. */
    public function listen(): void
    {
        $this->hear();
        if (!$this->done && !$this->process->isRunning()) {
            $this->hear();
            if (!$this->done) {
                throw new \RuntimeException("{$this->plan['name']} ended by itself");
            }
        }
    }

    private function hear(): void
    {
        while (($line = $this->process->pollLine()) !== null) {
            match (strtok($line, ' ')) {
                'turn' => ++$this->turns,
                'extended' => ++$this->extended,
                'trouble' => ++$this->troubles,
                'late' => ++$this->late,
                'lost' => ++$this->lost,
                'done' => $this->done = true,
                default => throw new \RuntimeException("{$this->plan['name']} said: $line"),
            };
        }
    }

    public function suffer(Fault $fault): void
    {
        if ($fault->kind === 'client paused') {
            $this->process->signal(SIGSTOP);
            return;
        }
        $this->process->kill();
        $this->hear();
        ++$this->kills;
        $this->launch();
    }

    public function recover(Fault $fault): void
    {
        if ($fault->kind === 'client paused') {
            $this->process->signal(SIGCONT);
        }
    }
}
