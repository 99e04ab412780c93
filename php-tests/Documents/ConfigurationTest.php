<?php

/** docs/operations.md: the configuration of a server loads as it stands there, and the unit keeps a crashed server away. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\FreePort;
use RedLock\Harness\RedisServer;
use RedLock\Harness\RespClient;
use RedLock\Harness\TempFolder;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\Document;
use RedLock\Tests\Support\ServerTestCase;

final class ConfigurationTest extends ServerTestCase
{
    public function testAServerStartsWithTheConfigurationAndHasEverySettingOfIt(): void
    {
        $written = (new Document('docs/operations.md'))->code('Servers for RedLock');
        preg_match_all('~^([a-z-]+) (.*)$~m', $written, $lines);
        $settings = array_combine($lines[1], $lines[2]);
        self::assertArrayHasKey('maxmemory-policy', $settings);

        $folder = TempFolder::make();
        $port = FreePort::find();
        file_put_contents("$folder/redis.conf", "$written\nport $port\nbind 127.0.0.1\ndir $folder\n");
        $process = new ChildProcess([RedisServer::program(), "$folder/redis.conf"], "$folder/log");
        $client = Wait::until(static function () use ($process, $port, $folder): ?RespClient {
            if (!$process->isRunning()) {
                self::fail('the server refuses the configuration: ' . file_get_contents("$folder/log"));
            }
            try {
                return new RespClient("tcp://127.0.0.1:$port");
            } catch (\RuntimeException) {
                return null;
            }
        }, 'the server');
        foreach ($settings as $name => $value) {
            self::assertSame([$name, $value], $client->call('CONFIG', 'GET', $name));
        }
        $process->kill();
    }

    public function testTheUnitSleepsForLongerThanTheTtlItIsMadeForAndIsNotEndedMeanwhile(): void
    {
        $section = (new Document('docs/operations.md'))->section('Keep a crashed server away');
        self::assertSame(1, preg_match('~TTLs of up to (\d+) seconds~', $section, $ttl));
        self::assertSame(1, preg_match('~^ExecStartPre=\+/bin/sleep (\d+)$~m', $section, $sleep));
        self::assertSame(1, preg_match('~^TimeoutStartSec=(\d+)$~m', $section, $limit));
        self::assertGreaterThan((int) $ttl[1], (int) $sleep[1]);
        self::assertGreaterThan((int) $sleep[1], (int) $limit[1]);
    }

    public function testSystemdUnderstandsTheUnitWhereItIsInstalled(): void
    {
        $drop = (new Document('docs/operations.md'))->code('Keep a crashed server away');
        self::assertStringContainsString("[Service]\n", $drop);
        if (ChildProcess::find('systemd-analyze') === null) {
            return;
        }
        $unit = TempFolder::make() . '/redis-server.service';
        $server = RedisServer::program();
        file_put_contents($unit, "[Service]\nType=notify\nExecStart=$server /etc/redis/redis.conf\n" . strstr($drop, 'ExecStartPre'));
        exec('systemd-analyze --man=no verify ' . escapeshellarg($unit) . ' 2>&1', $said, $status);
        self::assertSame(0, $status, implode("\n", $said));
        self::assertStringNotContainsString(basename($unit), implode("\n", $said));
    }
}
