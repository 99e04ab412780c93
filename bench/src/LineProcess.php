<?php

declare(strict_types=1);

namespace Bench;

use RedLock\Harness\ChildProcess;

/**
 * A child process that answers each line on its standard input with one line of JSON.
 *
 * It says one line by itself when it is ready.
 */
final class LineProcess
{
    /** The line it wrote when it was ready. @var array<string, mixed> */
    public readonly array $hello;

    public readonly int $pid;

    private readonly ChildProcess $process;

    /** @param list<string> $command */
    public function __construct(array $command, float $secondsToStart = 30.0)
    {
        $this->process = new ChildProcess($command);
        $this->pid = $this->process->pid;
        $this->hello = $this->answer($secondsToStart);
    }

    public function __destruct()
    {
        $this->end();
    }

    /** @return array<string, mixed> */
    public function ask(string $line, float $seconds = 60.0): array
    {
        $this->tell($line);

        return $this->answer($seconds);
    }

    public function end(): void
    {
        $this->process->kill();
    }

    /** Asks without waiting for the answer. */
    public function tell(string $line): void
    {
        $this->process->writeLine($line);
    }

    /** @return array<string, mixed> */
    public function answer(float $seconds): array
    {
        $line = $this->process->readLine($seconds);

        return json_decode($line, true) ?? throw new \RuntimeException("a measuring process said: $line");
    }
}
