<?php

/** PHP's own web server with the extension: one process that serves request after request. */

declare(strict_types=1);

namespace RedLock\Harness;

final class WebServer
{
    private ChildProcess $process;
    private readonly int $port;

    /** @param array<string, string|int> $settings for php.ini */
    public function __construct(string $code, array $settings = [])
    {
        $folder = TempFolder::make();
        file_put_contents("$folder/router.php", "<?php\n$code");
        $this->port = FreePort::find();
        $command = [...PhpProcess::command($settings), '-S', "127.0.0.1:$this->port", "$folder/router.php"];
        $this->process = new ChildProcess($command, "$folder/log");
        $connect = fn () => @fsockopen('127.0.0.1', $this->port);
        Wait::until($connect, 'the web server');
    }

    /** What the code echoes for a request. */
    public function get(string $query): string
    {
        $context = stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 20]]);
        $body = file_get_contents("http://127.0.0.1:$this->port/?$query", false, $context);
        return $body === false ? throw new \RuntimeException("no answer to $query") : $body;
    }

    public function end(): void
    {
        $this->process->kill();
    }
}
