<?php

/** What cannot be meant is told in one line with exit status 64; help, version and completion are there. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\TempFolder;
use RedLock\Tests\Support\CliTestCase;

final class ArgumentsTest extends CliTestCase
{
    public static function mistakes(): iterable
    {
        yield 'nothing' => [[], 'no command given (try redlock --help)'];
        yield 'an unknown command' => [['frobnicate'], "unknown command 'frobnicate' (try redlock --help)"];
        yield 'an unknown option' => [['inspect', 'r', '--fast'], '--fast'];
        yield 'no resource' => [['inspect'], 'RESOURCE is required'];
        yield 'nothing to run' => [['run', 'r'], 'nothing to run: the command stands behind --'];
        yield 'nothing behind the dashes' => [['run', 'r', '--'], 'nothing to run'];
        yield 'a command without dashes' => [['run', 'r', 'echo'], 'nothing to run: the command stands behind --'];
        yield 'a resource twice' => [['run', 'a', 'b', '-q', 'a', '--', 'true'], "RESOURCE must not name 'a' twice"];
        yield 'too many resources' => [['run', ...array_map(strval(...), range(1, 17)), '--', 'true'], 'RESOURCE must be at most 16 names, 17 given'];
        yield 'a ttl that is no time' => [['run', 'r', '--ttl', 'soon', '--', 'true'], '--ttl must be a time such as 30s'];
        yield 'a ttl of nothing' => [['run', 'r', '--ttl', '0', '--', 'true'], 'ttl must be greater than 0'];
        yield 'a ttl without end' => [['run', 'r', '--ttl', 'forever', '--', 'true'], '--ttl must be a time'];
        yield 'an endless ttl' => [['run', 'r', '--ttl', '9999999999999999999d', '--', 'true'], 'ttl must be at most'];
        yield 'a negative wait' => [['run', 'r', '--wait=-1s', '--', 'true'], '--wait must be a time such as'];
        yield 'a status that is none' => [['run', 'r', '-E', '256', '--', 'true'], '--conflict-exit-code must be at least 0 and at most 255'];
        yield 'no permits' => [['run', 'r', '--permits', '0', '--', 'true'], '--permits must be at least 1 and at most 1024'];
        yield 'too many permits' => [['run', 'r', '-p', '1025', '--', 'true'], '--permits must be at least 1 and at most 1024'];
        yield 'permits that are no number' => [['run', 'r', '-p', 'two', '--', 'true'], '--permits'];
        yield 'permits of several' => [['run', 'a', 'b', '-p', '2', '--', 'true'], '--permits is for one RESOURCE only'];
        yield 'less than no replicas' => [['run', 'r', '--replicas', '-1', '--', 'true'], '--replicas must be at least 0 and at most 16'];
        yield 'too many replicas' => [['run', 'r', '--replicas', '17', '--', 'true'], '--replicas must be at least 0 and at most 16'];
        yield 'a permit with a fence' => [['run', 'r', '--fence', '-p', '2', '--', 'true'], '--permits and --fence exclude each other'];
        yield 'a server that is none' => [['inspect', 'r', '-s', 'host:99999'], 'server 1: port must be'];
        yield 'a server twice' => [['inspect', 'r', '-s', 'a,b,a'], 'server 3'];
        yield 'a file that is not there' => [['inspect', 'r', '-s', '@/no/such/file'], 'servers cannot be read from /no/such/file: No such file'];
        yield 'top too often' => [['top', 'r', '-i', '1ms'], '--interval must be at least 100ms'];
        yield 'top without a terminal' => [['top', 'r'], 'top needs a terminal'];
    }

    /**
     * @dataProvider mistakes
     * @param list<string> $arguments
     */
    public function testAMistakeIsNamedInOneLine(array $arguments, string $expected): void
    {
        [$status, $said, $errors] = self::redlock($arguments);
        self::assertSame([64, ''], [$status, $said], $errors);
        self::assertStringContainsString($expected, $errors);
        self::assertStringStartsWith('redlock: ', $errors);
        self::assertSame(1, substr_count($errors, "\n"), $errors);
    }

    public function testWithoutServersItSaysWhereTheyAreNamed(): void
    {
        foreach (['run r -- true', 'inspect r', 'release --force r', 'check', 'top --once r'] as $line) {
            [$status, , $errors] = self::redlock(explode(' ', $line), ['REDLOCK_SERVERS' => '']);
            self::assertSame(64, $status, $line);
            self::assertSame("redlock: no servers: name them with --servers, or in the environment as REDLOCK_SERVERS\n", $errors);
        }
    }

    public function testServersMayStandInAFileAndPasswordsAreNotShown(): void
    {
        $file = TempFolder::make() . '/servers';
        $servers = self::$fleet->servers;
        file_put_contents($file, "# ours\n\n  {$servers[0]->name()}\r\n{$servers[1]->name()}\n{$servers[2]->name()}");
        self::assertSame(0, self::redlock(['inspect', 'r', '-s', "@$file"], ['REDLOCK_SERVERS' => 'nowhere:1'])[0]);
        self::assertSame(0, self::redlock(['inspect', 'r'], ['REDLOCK_SERVERS' => "@$file"])[0]);
        file_put_contents($file, "\u{feff}{$servers[0]->name()}\n");
        [$status, , $errors] = self::redlock(['inspect', 'r', '-s', "@$file"]);
        self::assertSame([64, "redlock: $file begins with a byte order mark: save it as UTF-8 without one\n"], [$status, $errors]);
        file_put_contents($file, "# nobody\n");
        self::assertSame("redlock: server 2 of the list is empty\n", self::redlock(['inspect', 'r', '-s', '10.0.0.1,,10.0.0.3'])[2]);
        self::assertStringContainsString('there are no servers in ', self::redlock(['inspect', 'r', '-s', "@$file"])[2]);
        file_put_contents($file, "redis://u:sesame@{$servers[0]->name()}/nonsense");
        [$status, , $errors] = self::redlock(['inspect', 'r', '-s', "@$file"]);
        self::assertSame(64, $status);
        self::assertStringNotContainsString('sesame', $errors);
    }

    public function testInAFileACommaIsAPartOfThePassword(): void
    {
        $server = $this->server(['requirepass' => 'sesame,open']);
        $file = TempFolder::make() . '/servers';
        file_put_contents($file, "redis://:sesame,open@{$server->name()}\n");
        self::assertSame(0, self::redlock(['inspect', 'r', '-s', "@$file"])[0]);
        self::assertSame(0, self::redlock(['inspect', 'r'], ['REDLOCK_SERVERS' => "redis://:sesame%2Copen@{$server->name()}"])[0]);
        file_put_contents($file, "10.0.0.1,10.0.0.2\n");
        [$status, , $errors] = self::redlock(['inspect', 'r', '-s', "@$file"]);
        self::assertSame(64, $status);
        self::assertStringContainsString('server 1: a server has one host', $errors);
    }

    public function testWhatCannotBeWrittenIsAFailure(): void
    {
        foreach (['inspect r', 'inspect --json r', 'check', 'check --json', 'top --once r', '--help', '--version', 'run --help'] as $line) {
            self::assertSame(
                [74, '', "redlock: standard output cannot be written: No space left on device\n"],
                self::redlock(explode(' ', $line), [], '/dev/full'),
                $line,
            );
        }
    }

    public function testWithStandardOutputClosedNothingIsCalledDone(): void
    {
        $errors = TempFolder::make() . '/errors';
        foreach (['inspect r', 'check', 'top --once r', '--version'] as $line) {
            exec('REDLOCK_SERVERS=' . escapeshellarg(self::servers()) . ' ' . escapeshellarg(self::program()) . " $line >&- 2>$errors", $said, $status);
            self::assertSame([74, "redlock: standard output cannot be written: Bad file descriptor\n"], [$status, file_get_contents($errors)], $line);
        }
    }

    public function testHelpAndTheVersionNeedNoServers(): void
    {
        [$status, $said] = self::redlock(['--version'], ['REDLOCK_SERVERS' => '']);
        self::assertSame(0, $status);
        preg_match('~kVersion\[\] = "([^"]+)"~', (string) file_get_contents(__DIR__ . '/../../core/redlock/version.hpp'), $version);
        self::assertSame("redlock $version[1]\n", $said);
        self::assertStringContainsString('inspect', self::redlock(['--help'])[1]);
        foreach (['run', 'inspect', 'release', 'check', 'top'] as $command) {
            [$status, $said] = self::redlock([$command, '--help'], ['REDLOCK_SERVERS' => '']);
            self::assertSame(0, $status);
            self::assertStringContainsString('Exit status:', $said);
            self::assertStringContainsString('REDLOCK_SERVERS', $said);
            self::assertStringContainsString('passwords', $said);
        }
    }

    public static function completions(): iterable
    {
        yield 'commands' => ['redlock ', ['run', 'inspect', 'release', 'check', 'top', '--help', '--version']];
        yield 'a command' => ['redlock rel', ['release']];
        yield 'options' => ['redlock inspect --j', ['--json']];
        yield 'options of run' => ['redlock run r --no', ['--no-line']];
        yield 'waits' => ['redlock run r --wait f', ['forever']];
        yield 'what is to be run' => ['redlock run r -- mktem', ['mktemp']];
        yield 'no names of locks' => ['redlock inspect in', []];
    }

    /**
     * @dataProvider completions
     * @param list<string> $expected
     */
    public function testBashCompletes(string $line, array $expected): void
    {
        $script = 'set -eu; source "$1"; read -ra COMP_WORDS <<<"$2"; [[ $2 != *" " ]] || COMP_WORDS+=("");'
            . ' COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); set +e; _redlock; printf "%s\n" ${COMPREPLY[@]+"${COMPREPLY[@]}"}; complete -p redlock';
        exec('bash -c ' . escapeshellarg($script) . ' - ' . escapeshellarg(__DIR__ . '/../../cli/redlock.bash')
            . ' ' . escapeshellarg($line) . ' 2>&1', $said, $status);
        self::assertSame(0, $status, implode("\n", $said));
        self::assertSame('complete -F _redlock redlock', array_pop($said));
        self::assertSame($expected, array_values(array_unique(array_filter($said))));
    }

    public function testTheManualPageHasNoWarningsAndEveryOption(): void
    {
        $page = __DIR__ . '/../../cli/redlock.1';
        exec('man --warnings -E UTF-8 -l -Tutf8 -Z ' . escapeshellarg($page) . ' 2>&1 >/dev/null', $warnings);
        self::assertSame([], $warnings);
        $text = str_replace('\\-', '-', (string) file_get_contents($page));
        $help = '';
        foreach (['run', 'inspect', 'release', 'check', 'top'] as $command) {
            $help .= self::redlock([$command, '--help'])[1];
        }
        preg_match_all('~(?<![\w-])--[a-z][a-z-]+~', $help, $options);
        foreach (array_diff(array_unique($options[0]), ['--help', '--version']) as $option) {
            self::assertStringContainsString($option, $text);
            self::assertStringContainsString($option, (string) file_get_contents(__DIR__ . '/../../cli/redlock.bash'));
        }
    }
}
