<?php

declare(strict_types=1);

namespace Bench;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\FreePort;
use RedLock\Harness\Wait;

/** nginx before php-fpm with a hundred workers, both private: what a PHP site is served by. */
final class WebSite
{
    private const SECONDS_MAX = 120;

    private readonly int $port;
    private readonly ChildProcess $fpm;
    private readonly ChildProcess $nginx;

    /** @param string $dir is made */
    public function __construct(string $extension, private readonly string $dir, private readonly int $workers)
    {
        mkdir($this->dir);
        $this->port = FreePort::find();
        file_put_contents("$this->dir/fpm.conf", $this->fpmSettings());
        file_put_contents("$this->dir/nginx.conf", $this->nginxSettings());
        $this->fpm = new ChildProcess([(string) self::fpmProgram(), '--nodaemonize', '--allow-to-run-as-root',
            '--fpm-config', "$this->dir/fpm.conf", '-d', "extension=$extension"], "$this->dir/fpm.log");
        $this->nginx = new ChildProcess([(string) self::find('nginx'), '-p', $this->dir, '-c', "$this->dir/nginx.conf"],
            "$this->dir/nginx.log");
        Wait::until(fn () => @fsockopen('127.0.0.1', $this->port) && file_exists("$this->dir/fpm.sock"), 'the web site');
    }

    /** Why there cannot be one; '' when there can. */
    public static function missing(): string
    {
        $programs = ['nginx' => self::find('nginx'), 'php-fpm' => self::fpmProgram(), 'ab' => self::find('ab')];

        return implode(', ', array_keys(array_filter($programs, is_null(...))));
    }

    /**
     * Lets ab ask for as many pages as there are workers, at once and all the time.
     *
     * @param list<int> $ports
     * @return array<string, mixed> the samples, and what ab says
     */
    public function ask(string $kind, array $ports, int $requests): array
    {
        @unlink("$this->dir/turns");
        $url = "http://127.0.0.1:$this->port/?kind=$kind&ports=" . implode(',', $ports);
        $command = [(string) self::find('ab'), '-q', '-n', $requests, '-c', $this->workers, '-s', self::SECONDS_MAX, $url];
        exec(implode(' ', array_map(escapeshellarg(...), array_map(strval(...), $command))) . ' 2>&1', $output, $status);
        $said = implode("\n", $output);
        if ($status !== 0 || !preg_match('/^Requests per second:\s+([\d.]+)/m', $said, $rate)) {
            throw new \RuntimeException("ab failed: $said\n" . @file_get_contents("$this->dir/fpm.log"));
        }
        $failed = preg_match('/^(?:Failed requests|Non-2xx responses):\s+([1-9]\d*)/m', $said, $match) ? (int) $match[1] : 0;
        $turns = array_map(json_decode(...), file("$this->dir/turns", FILE_IGNORE_NEW_LINES) ?: []);

        return ['requests_per_second' => (float) $rate[1], 'failed' => $failed, 'wait_ns' => array_column($turns, 0),
            'release_ns' => array_column($turns, 1), 'overlaps' => array_sum(array_column($turns, 2))];
    }

    public function end(): void
    {
        $this->nginx->signal(SIGTERM);
        $this->fpm->signal(SIGTERM);
        $this->nginx->wait();
        $this->fpm->wait();
    }

    private static function fpmProgram(): ?string
    {
        return self::find('php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION) ?? self::find('php-fpm');
    }

    /** Where users without rights do not look for programs, too. */
    private static function find(string $program): ?string
    {
        return ChildProcess::find($program) ?? (is_executable("/usr/sbin/$program") ? "/usr/sbin/$program" : null);
    }

    private function fpmSettings(): string
    {
        $user = posix_getpwuid(posix_geteuid())['name'];

        return <<<FPM
            [global]
            error_log = $this->dir/fpm-errors
            [bench]
            user = $user
            listen = $this->dir/fpm.sock
            listen.backlog = 1024
            pm = static
            pm.max_children = $this->workers
            catch_workers_output = yes
            php_admin_value[max_execution_time] = 0

            FPM;
    }

    private function nginxSettings(): string
    {
        $user = posix_getpwuid(posix_geteuid())['name'];
        $page = dirname(__DIR__) . '/web/index.php';
        $seconds = self::SECONDS_MAX;

        return <<<NGINX
            daemon off;
            user $user;
            worker_processes 1;
            pid $this->dir/nginx.pid;
            error_log $this->dir/nginx-errors;
            events { worker_connections 1024; }
            http {
              access_log off;
              client_body_temp_path $this->dir; proxy_temp_path $this->dir; fastcgi_temp_path $this->dir;
              uwsgi_temp_path $this->dir; scgi_temp_path $this->dir;
              server {
                listen 127.0.0.1:$this->port backlog=1024;
                location / {
                  fastcgi_pass unix:$this->dir/fpm.sock;
                  fastcgi_read_timeout {$seconds}s;
                  fastcgi_param SCRIPT_FILENAME $page;
                  fastcgi_param REQUEST_METHOD \$request_method;
                  fastcgi_param QUERY_STRING \$query_string;
                  fastcgi_param BENCH_DIR $this->dir;
                }
              }
            }

            NGINX;
    }
}
