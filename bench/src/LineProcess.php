<?php

declare(strict_types=1);

namespace Bench;

use RuntimeException;

/**
 * A child process that answers each line on its standard input with one line of JSON.
 *
 * It says one line by itself when it is ready, and ends when its standard input is closed.
 */
final class LineProcess
{
    /** The line it wrote when it was ready. @var array<string, mixed> */
    public readonly array $hello;

    public readonly int $pid;

    /** @var resource */
    private $process;

    /** @var array<int, resource> */
    private array $pipes = [];

    private string $received = '';

    /** @param list<string> $command */
    public function __construct(private readonly array $command, float $secondsToStart = 30.0)
    {
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w']], $this->pipes);
        if ($process === false) {
            throw new RuntimeException('cannot start ' . implode(' ', $command));
        }
        $this->process = $process;
        $this->pid = proc_get_status($process)['pid'];
        $this->hello = $this->answer($secondsToStart);
    }

    public function __destruct()
    {
        $this->end();
    }

    /** @return array<string, mixed> */
    public function ask(string $line, float $seconds = 60.0): array
    {
        fwrite($this->pipes[0], "$line\n");

        return $this->answer($seconds);
    }

    public function end(): void
    {
        if (!is_resource($this->process)) {
            return;
        }
        array_map(fclose(...), $this->pipes);
        $deadline = hrtime(true) + 2_000_000_000;
        while (proc_get_status($this->process)['running']) {
            if (hrtime(true) > $deadline) {
                proc_terminate($this->process, SIGKILL);
            }
            usleep(1000);
        }
        proc_close($this->process);
    }

    /** @return array<string, mixed> */
    private function answer(float $seconds): array
    {
        $deadline = hrtime(true) + (int) ($seconds * 1e9);
        while (!str_contains($this->received, "\n")) {
            $left = max(0, $deadline - hrtime(true));
            $reading = [$this->pipes[1]];
            $none = null;
            stream_select($reading, $none, $none, intdiv($left, 1_000_000_000), intdiv($left % 1_000_000_000, 1000));
            $bytes = $reading === [] ? '' : (string) fread($this->pipes[1], 1 << 20);
            if ($bytes === '') {
                throw new RuntimeException(implode(' ', $this->command) . ' ' . $this->complaint());
            }
            $this->received .= $bytes;
        }
        [$line, $this->received] = explode("\n", $this->received, 2);

        return json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    }

    private function complaint(): string
    {
        if (!feof($this->pipes[1])) {
            return 'gave no answer in time';
        }
        // The end of its output is seen a little before the end of the process.
        for ($tries = 0; $tries < 1000 && ($status = proc_get_status($this->process))['running']; $tries++) {
            usleep(1000);
        }

        return $status['signaled'] ? "was ended by signal $status[termsig]" : "ended with status $status[exitcode]";
    }
}
