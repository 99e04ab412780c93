<?php

/** The files of the project as git knows them, new ones included, and what is written in them. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Files
{
    /** @param list<string> $paths relative to $root, sorted */
    private function __construct(private string $root, public readonly array $paths)
    {
    }

    public static function below(string $root): self
    {
        $git = ['git', '-c', "safe.directory=$root", '-C', $root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
        $process = proc_open($git, [1 => ['pipe', 'w']], $pipes);
        $listed = array_filter(explode("\0", stream_get_contents($pipes[1])));
        if (proc_close($process) !== 0 || $listed === []) {
            fwrite(STDERR, "tidy_test: git cannot list the files of $root\n");
            exit(1);
        }
        $paths = array_filter(array_unique($listed), static fn(string $path): bool => is_file("$root/$path"));
        sort($paths);
        return new self($root, $paths);
    }

    /** @return list<string> the paths that match a regular expression */
    public function matching(string $pattern): array
    {
        return array_values(preg_grep($pattern, $this->paths));
    }

    public function has(string $path): bool
    {
        return in_array($path, $this->paths, true);
    }

    /** What a file says; nothing when it is missing, which some rule then reports. */
    public function text(string $path): string
    {
        return is_file("$this->root/$path") ? file_get_contents("$this->root/$path") : '';
    }

    /** What one of the project's own programs prints. */
    public function output(string $path, string ...$arguments): string
    {
        $process = proc_open(["$this->root/$path", ...$arguments], [1 => ['pipe', 'w']], $pipes);
        $printed = (string) stream_get_contents($pipes[1]);
        return proc_close($process) === 0 ? $printed : '';
    }

    /** Whether a file is meant for people to read; generated ones are not. */
    public static function isHandWritten(string $path): bool
    {
        return !str_ends_with($path, '_arginfo.h') && $path !== 'core/redlock/wire/scripts.cpp';
    }
}
