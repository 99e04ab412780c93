<?php

/** A place for one client process: when it is killed, the next one takes it. */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\ChildProcess;

final class Client implements Victim
{
    public ChildProcess $process;
    /** @var array<string, int> how often its processes said each word */
    public array $said;
    public int $kills = 0;

    /**
     * @param list<string> $words with which a line may begin; after 'done' the process ends
     * @param \Closure(): ChildProcess $start
     */
    public function __construct(private readonly string $name, array $words, private readonly \Closure $start)
    {
        $this->said = array_fill_keys($words, 0);
        $this->process = ($this->start)();
    }

    /** Takes in what the process has said, and minds that it lives. */
    public function listen(): void
    {
        $this->hear();
        if (!$this->isDone() && !$this->process->isRunning()) {
            $this->hear();
            if (!$this->isDone()) {
                throw new \RuntimeException("$this->name ended by itself");
            }
        }
    }

    public function isDone(): bool
    {
        return $this->said['done'] > 0;
    }

    private function hear(): void
    {
        while (($line = $this->process->pollLine()) !== null) {
            $word = strtok($line, ' ');
            if (!isset($this->said[$word])) {
                throw new \RuntimeException("$this->name said: $line");
            }
            ++$this->said[$word];
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
        $this->process = ($this->start)();
    }

    public function recover(Fault $fault): void
    {
        if ($fault->kind === 'client paused') {
            $this->process->signal(SIGCONT);
        }
    }
}
