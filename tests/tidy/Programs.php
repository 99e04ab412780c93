<?php

/** Whether bin/setup knows every program that a command, a stage, a test, a demo or a measurement starts. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Programs
{
    /** Where scripts start a program: at the begin of a command, or behind what runs another one. */
    private const SHELL = '~(?:^|\$\(|<\(|[|&;({!]|\b(?:then|do|else|if|elif|while|until|exec|command|env|apart|quietly'
        . '|xargs(?: -\S+)*|nice(?: -n \d+)?|timeout(?: -k \d+)? \S+|setpriv --\S+ \S+|watched (?:\S+ ){3}'
        . '|quietly_as (?:\S+ ){2}|(?:in_debian|fetch_peer|step|followed)(?: \S+)+)[ \t])[ \t]*'
        . '(?:[A-Za-z_]\w*=\S*[ \t]+)*\K[a-z][a-z0-9_+.-]*(?=[\s;)|&]|$)~m';
    /** Where PHP and C++ do: a command line, or the first word of a command. */
    private const CALLS = '~(?:\b(?:shell_exec|passthru|system|popen|exec(?:[lv]p?e?)?)\(\s*[\'"]'
        . '|(?:\b(?:proc_open|\w*Process)\(|\$(?:command|make|git|tied)\s*=[^=;]*?)\s*\[\s*[\'"])\K[a-z][a-z0-9_+.-]*~';
    /** What a shell does itself, and what is started only where it is. */
    private const NOT_NEEDED = [
        'echo', 'false', 'kill', 'printf', 'pwd', 'test', 'true',
        'apt-cache', 'apt-config', 'apt-get', 'ccache', 'deb-systemd-helper', 'npm', 'sudo', 'systemd-analyze', 'update-rc.d',
    ];
    /** One of each way to start a program: the patterns have to see them. */
    private const SEEN = ['cp', 'debootstrap', 'git', 'gnuplot', 'nm', 'openssl', 'patch', 'prlimit', 'systemd-analyze', 'taskset'];

    public static function check(Files $files, Report $report): void
    {
        $known = [...explode("\n", $files->output('bin/setup', '--programs')), ...self::NOT_NEEDED];
        $called = self::called($files);
        $complaints = [];
        foreach (array_diff_key($called, array_flip($known)) as $program => $path) {
            // Not every word at such a place is a program; the one that a change adds is there where it was written.
            if (self::isProgram($program)) {
                $complaints[] = "$path starts $program, which bin/setup does not know";
            }
        }
        foreach (array_diff(self::SEEN, array_keys($called)) as $program) {
            $complaints[] = "the patterns no longer see that $program is started";
        }
        $report->rule('bin/setup knows what is started', count($called), $complaints);
    }

    /** @return array<string, string> what is started, and one of the files that do */
    private static function called(Files $files): array
    {
        $called = [];
        foreach ($files->matching('~^(?:bin|tests|php-tests|harness|demo|soak|bench|bridges|cli)/|^\.ci/~') as $path) {
            $text = $files->text($path);
            $isScript = preg_match('~^#!.*sh$~m', $text) === 1 || str_ends_with($path, '.sh');
            preg_match_all($isScript ? self::SHELL : self::CALLS, $isScript ? self::code($text) : $text, $found);
            preg_match_all('~^\w+(?=\(\))~m', $text, $functions);
            $called += array_fill_keys(array_diff($found[0], $functions[0]), $path);
        }
        return $called;
    }

    /** A script without its comments, and without what it quotes or writes elsewhere. */
    private static function code(string $script): string
    {
        $script = preg_replace(['~(?:^|\s)#.*$~m', '~\\\\\n~', '~\'[^\']*\'~'], ['', ' ', "''"], $script);
        return preg_replace('~"(?:[^"$\\\\]|\\\\.|\$[\w#@*?!]|\$\{[^}"]*\})*"~', '""', $script);
    }

    private static function isProgram(string $word): bool
    {
        foreach (explode(':', (string) getenv('PATH')) as $folder) {
            if (is_executable("$folder/$word") && is_file("$folder/$word")) {
                return true;
            }
        }
        return false;
    }
}
