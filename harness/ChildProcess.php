<?php

/**
 * One process that we started, with its standard input and output as lines.
 *
 * Every child is ended by its own pid when we end, however that happens: by a shutdown function, and where
 * util-linux's setpriv exists by the kernel too, should we be killed with -9.
 */

declare(strict_types=1);

namespace RedLock\Harness;

final class ChildProcess
{
    /** @var array<int, self> */
    private static array $running = [];
    private static ?int $owner = null;

    /** @var resource */
    private $process;
    /** @var resource */
    private $input;
    /** @var ?resource null where it goes to a file */
    private $output = null;
    private string $buffer = '';
    private ?int $exitCode = null;
    public readonly int $pid;

    /**
     * @param list<string> $command
     * @param ?string $logFile where standard output and errors go; without it they are read line by line
     */
    public function __construct(array $command, ?string $logFile = null)
    {
        self::watchOverOurEnd();
        $tied = self::find('setpriv') ? ['setpriv', '--pdeathsig', 'KILL', ...$command] : $command;
        $output = $logFile === null ? ['pipe', 'w'] : ['file', $logFile, 'a'];
        $process = proc_open($tied, [['pipe', 'r'], $output, ['redirect', 1]], $pipes);
        if ($process === false) {
            throw new \RuntimeException("cannot start $command[0]");
        }
        $this->process = $process;
        $this->input = $pipes[0];
        if ($logFile === null) {
            $this->output = $pipes[1];
            stream_set_blocking($this->output, false);
        }
        $this->pid = proc_get_status($process)['pid'];
        self::$running[$this->pid] = $this;
    }

    /** The path of a program, or null. */
    public static function find(string $program): ?string
    {
        foreach (explode(':', (string) getenv('PATH')) as $folder) {
            if (is_executable("$folder/$program")) {
                return "$folder/$program";
            }
        }
        return null;
    }

    public function writeLine(string $line): void
    {
        fwrite($this->input, "$line\n");
    }

    /** The next line that is there already, or null. */
    public function pollLine(): ?string
    {
        if (is_resource($this->output)) {
            $this->buffer .= (string) stream_get_contents($this->output);
        }
        $end = strpos($this->buffer, "\n");
        if ($end === false) {
            return null;
        }
        $line = substr($this->buffer, 0, $end);
        $this->buffer = substr($this->buffer, $end + 1);
        return $line;
    }

    public function readLine(float $seconds = 20.0): string
    {
        $deadline = Wait::now() + $seconds;
        while (($line = $this->pollLine()) === null) {
            $left = $deadline - Wait::now();
            if ($left <= 0 || (feof($this->output) && !str_contains($this->buffer, "\n"))) {
                throw new \RuntimeException("no line from process $this->pid; it said: '$this->buffer'");
            }
            $read = [$this->output];
            $write = $except = null;
            // A signal may interrupt the waiting; the loop looks again.
            @stream_select($read, $write, $except, (int) $left, (int) (fmod($left, 1.0) * 1e6));
        }
        return $line;
    }

    public function signal(int $signal): void
    {
        if ($this->isRunning()) {
            posix_kill($this->pid, $signal);
        }
    }

    public function isRunning(): bool
    {
        if ($this->exitCode === null && is_resource($this->process)) {
            $status = proc_get_status($this->process);
            if (!$status['running']) {
                $this->exitCode = $status['signaled'] ? 128 + $status['termsig'] : $status['exitcode'];
            }
        }
        return $this->exitCode === null;
    }

    /** Waits for the end and gives the exit code; 128 + n after signal n. */
    public function wait(float $seconds = 20.0): int
    {
        Wait::until(fn (): bool => !$this->isRunning(), "the end of process $this->pid", $seconds);
        $this->forget();
        return (int) $this->exitCode;
    }

    /** Ends it at once, stopped or not. */
    public function kill(): void
    {
        $this->signal(SIGKILL);
        $this->wait();
    }

    private function forget(): void
    {
        unset(self::$running[$this->pid]);
        if (is_resource($this->process)) {
            if ($this->output !== null) {
                $this->buffer .= (string) stream_get_contents($this->output);
            }
            proc_close($this->process);
        }
    }

    public static function endAll(): void
    {
        if (self::$owner !== getmypid()) {
            return;
        }
        foreach (self::$running as $child) {
            $child->kill();
        }
    }

    private static function watchOverOurEnd(): void
    {
        if (self::$owner === null) {
            self::$owner = getmypid();
            register_shutdown_function(self::endAll(...));
        }
    }
}
