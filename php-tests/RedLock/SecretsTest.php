<?php

/** Passwords show up nowhere: not in dumps, messages, traces or phpinfo(). */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\FreePort;
use RedLock\Harness\PhpProcess;
use RedLock\Tests\Support\ServerTestCase;

final class SecretsTest extends ServerTestCase
{
    private const SECRET = 'tell-nobody-42';

    /** @return iterable<string, array{array<mixed>|string}> */
    public static function credentials(): iterable
    {
        $server = ['host' => '127.0.0.1', 'port' => FreePort::find(), 'timeout' => 0.1];
        yield 'a password' => [$server + ['auth' => self::SECRET]];
        yield 'user and password' => [$server + ['auth' => ['locker', self::SECRET]]];
        yield 'a URL' => ['redis://locker:' . self::SECRET . '@127.0.0.1:' . FreePort::find() . '?timeout=0.1'];
    }

    /** @dataProvider credentials */
    public function testNoDumpShowsThePassword(array|string $server): void
    {
        $redLock = new RedLock([$server]);
        ob_start();
        var_dump($redLock);
        $dumped = ob_get_clean() . print_r($redLock, true) . var_export($redLock, true) . json_encode($redLock)
            . serialize((array) $redLock);
        self::assertStringNotContainsString(self::SECRET, $dumped);
    }

    /** @dataProvider credentials */
    public function testNoExceptionShowsThePassword(array|string $server): void
    {
        $redLock = new RedLock([$server], 0, 1);
        $thrown = self::caught(\RedLock\QuorumException::class, static fn () => $redLock->lock('r', 1000));
        self::assertStringNotContainsString(self::SECRET, (string) $thrown . print_r($redLock->lastErrors(), true));
    }

    public function testTheTraceOfARefusedConstructorDoesNotShowThePassword(): void
    {
        $code = '
            try {
                new RedLock([["host" => "127.0.0.1", "port" => 70000, "auth" => $args["secret"]]]);
            } catch (ValueError $e) {
                $arguments = array_map(fn ($frame) => $frame["args"] ?? [], $e->getTrace());
                report($e . print_r($arguments, true));
            }
        ';
        $settings = ['zend.exception_ignore_args' => '0', 'zend.exception_string_param_max_len' => '1000'];
        $shown = PhpProcess::run($code, ['secret' => self::SECRET], $settings);
        self::assertStringContainsString('SensitiveParameterValue', $shown);
        self::assertStringNotContainsString(self::SECRET, $shown);
    }

    /** @dataProvider malformedUrls */
    public function testARefusedUrlIsNotQuotedWithItsPassword(string $url): void
    {
        $thrown = self::caught(\ValueError::class, static fn () => new RedLock([$url]));
        self::assertStringNotContainsString(self::SECRET, $thrown->getMessage());
    }

    /** @return iterable<string, array{string}> */
    public static function malformedUrls(): iterable
    {
        yield 'with a port out of range' => ['redis://:' . self::SECRET . '@127.0.0.1:70000'];
        yield 'with a database that is no number' => ['redis://:' . self::SECRET . '@127.0.0.1:6379/x'];
        yield 'with an unknown parameter' => ['redis://:' . self::SECRET . '@127.0.0.1:6379?x=1'];
        yield 'without a host' => ['redis://:' . self::SECRET . '@'];
        yield 'of another scheme' => ['rediss+x://:' . self::SECRET . '@127.0.0.1'];
        yield 'with a bad percent code' => ['redis://:%zz' . self::SECRET . '@127.0.0.1'];
    }

    public function testPhpinfoHasASectionWithoutThePassword(): void
    {
        $server = $this->server(['requirepass' => self::SECRET]);
        $code = '
            $r = new RedLock([["host" => "127.0.0.1", "port" => $args["port"], "auth" => $args["secret"]]], 0, 1);
            $r->lock("r", 10000);
            ob_start();
            (new ReflectionExtension("redlock"))->info();
            report(ob_get_clean());
        ';
        $shown = PhpProcess::run($code, ['port' => $server->port, 'secret' => self::SECRET]);
        self::assertStringContainsString('redlock', $shown);
        self::assertStringContainsString('hiredis', $shown);
        self::assertStringNotContainsString(self::SECRET, $shown);
    }

    /** @dataProvider awkwardSecrets */
    public function testAServerThatRepeatsTheArgumentsOfAuthGivesNothingAway(string $user, string $password): void
    {
        $server = $this->server(['rename-command' => 'AUTH HIDDENAUTH']);
        $spec = ['host' => '127.0.0.1', 'port' => $server->port, 'timeout' => 0.5];
        $spec['auth'] = $user === '' ? $password : [$user, $password];
        $redLock = new RedLock([$spec], 0, 1);
        $thrown = self::caught(\RedLock\QuorumException::class, static fn () => $redLock->lock('resource', 1000));
        self::assertSame(
            [$server->name() => "AUTH was refused: ERR unknown command 'AUTH', with args (hidden)"],
            $redLock->lastErrors(),
        );
        self::assertStringEndsWith('with args (hidden)', $thrown->getMessage());
        $pidLock = new \PidLock($spec);
        $thrown = self::caught(\RedLock\ConnectionException::class, static fn () => $pidLock->getPidLock('p', 1));
        self::assertStringEndsWith('with args (hidden)', $thrown->getMessage());
    }

    /** @return iterable<string, array{string, string}> */
    public static function awkwardSecrets(): iterable
    {
        yield 'a password' => ['', self::SECRET];
        yield 'user and password' => ['locker', self::SECRET];
        yield 'a short password' => ['', 'x'];
        yield 'one that the server cuts' => ['', str_repeat('0123456789', 40)];
        yield 'one with quotes, line ends and binary bytes' => ['', "a'b\"c\r\n\xff\0d"];
    }

    public function testAServerThatRepeatsTheArgumentsOfATakeDoesNotShowTheToken(): void
    {
        $server = $this->server(['rename-command' => 'EVAL HIDDENEVAL']);
        $redLock = new RedLock([['127.0.0.1', $server->port, 0.5]], 0, 1);
        self::caught(\RedLock\QuorumException::class, static fn () => $redLock->lock('resource', 1000));
        self::assertStringStartsWith("ERR unknown command 'EVAL', with args (hidden) (", $redLock->lastErrors()[$server->name()]);
    }

    public function testAnErrorThatNamesTheUserIsShownWithoutTheName(): void
    {
        $server = $this->server([], ['user default off', 'user locker on >' . self::SECRET . ' ~* -@all +auth']);
        $spec = ['127.0.0.1', $server->port, 0.5, 'auth' => ['locker', self::SECRET]];
        $redLock = new RedLock([$spec], 0, 1);
        $thrown = self::caught(\RedLock\QuorumException::class, static fn () => $redLock->lock('r', 1000));
        self::assertStringContainsString('NOPERM', $thrown->getMessage());
        self::assertStringNotContainsString('locker', $thrown->getMessage());
    }
}
