<?php

/** Tests of the program `redlock`, which the environment names as REDLOCK_CLI, on three shared servers. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\Wait;

abstract class CliTestCase extends SharedFleetTestCase
{
    /** Servers of the tests may take long where no test wants them late. */
    protected const PATIENT = ['--timeout', '2s'];

    protected static function program(): string
    {
        return (string) getenv('REDLOCK_CLI');
    }

    protected static function servers(int $count = 3): string
    {
        return implode(',', array_map(
            static fn ($server): string => $server->name(),
            array_slice(self::$fleet->servers, 0, $count),
        ));
    }

    /**
     * Runs it to its end.
     *
     * @param list<string> $arguments
     * @param array<string, string> $environment besides PATH, HOME and the servers
     * @param ?string $output a file that is its standard output
     * @return array{int, string, string} exit status, standard output, standard error
     */
    protected static function redlock(array $arguments, array $environment = [], ?string $output = null): array
    {
        $environment += ['REDLOCK_SERVERS' => self::servers()] + self::environment();
        $streams = [['file', '/dev/null', 'r'], $output === null ? ['pipe', 'w'] : ['file', $output, 'w'], ['pipe', 'w']];
        $process = proc_open([self::program(), ...$arguments], $streams, $pipes, null, $environment);
        self::assertIsResource($process);
        $said = ['', ''];
        $deadline = Wait::now() + 20;
        $open = array_filter([$pipes[1] ?? null, $pipes[2]]);
        while ($open !== []) {
            $read = $open;
            $none = null;
            self::assertLessThan($deadline, Wait::now(), 'redlock does not end');
            @stream_select($read, $none, $none, 1);
            foreach ($read as $i => $pipe) {
                $piece = fread($pipe, 65536);
                $said[$i] .= $piece;
                if ($piece === '' && feof($pipe)) {
                    unset($open[$i]);
                }
            }
        }
        do {
            $status = proc_get_status($process);
            usleep(500);
        } while ($status['running']);
        proc_close($process);
        return [$status['signaled'] ? 128 + $status['termsig'] : $status['exitcode'], ...$said];
    }

    /**
     * Starts it; what it and its command say is read line by line.
     *
     * @param list<string> $arguments
     */
    protected function start(array $arguments): ChildProcess
    {
        return $this->watch(new ChildProcess(
            ['env', 'REDLOCK_SERVERS=' . self::servers(), self::program(), ...$arguments],
        ));
    }

    /** Starts a command under the lock `r`; its script runs in a shell. @param list<string> $options */
    protected function startScript(string $script, array $options = []): ChildProcess
    {
        return $this->start(['run', 'r', ...self::PATIENT, ...$options, '--', 'sh', '-c', $script]);
    }

    protected static function assertReleased(string $resource = 'r'): void
    {
        $free = static fn (): bool => array_filter(self::$fleet->values($resource, 3)) === [];
        self::assertTrue(Wait::until($free, "'$resource' to be released"));
    }

    /** What a majority holds. */
    protected static function holder(string $resource = 'r'): ?string
    {
        $values = array_count_values(array_filter(self::$fleet->values($resource, 3)));
        arsort($values);
        return reset($values) >= 2 ? (string) array_key_first($values) : null;
    }

    /** Gives the lock to somebody else, behind its owner's back. */
    protected static function steal(string $resource = 'r'): void
    {
        self::$fleet->each(static fn ($client) => $client->call('SET', $resource, 'a thief', 'PX', 60_000), 3);
    }

    protected static function lives(int $pid): bool
    {
        $stat = (string) @file_get_contents("/proc/$pid/stat");
        return $stat !== '' && !in_array(substr($stat, (int) strrpos($stat, ')') + 2, 1), ['Z', 'X'], true);
    }

    /** @return array<string, string> */
    private static function environment(): array
    {
        $kept = array_filter(
            getenv(),
            static fn (string $name): bool => preg_match('~^(PATH|HOME|LANG|LC_\w+|TERM|\wSAN_OPTIONS|\w+SAN_OPTIONS)$~', $name) === 1,
            ARRAY_FILTER_USE_KEY,
        );
        return $kept;
    }
}
