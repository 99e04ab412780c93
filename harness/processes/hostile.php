<?php

/**
 * The hostile server's process: argument 1 is its manner; its port is its first line of output.
 *
 * Every portion of bytes that a client sends is answered once. It ends with its standard input.
 */

declare(strict_types=1);

/** What to send for what came, as pieces that go out 80 ms apart; null: close the connection. */
function answer(string $manner, string $request): ?array
{
    $page = '<html><body>' . str_repeat('<p>It works!</p>', 200) . '</body></html>';
    return match ($manner) {
        'html' => ["HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n$page"],
        'huge bulk' => ["$1073741824\r\n" . str_repeat('x', 1 << 20)],
        'absurd bulk' => ["$9223372036854775807\r\n"],
        'negative bulk' => ["$-7\r\n"],
        'nested arrays' => [str_repeat("*1\r\n", 1 << 20)],
        'wide array' => ["*1048576\r\n" . str_repeat(":1\r\n", 1 << 18)],
        'endless status' => ['+' . str_repeat('O', 4 << 20)],
        'endless error' => ['-ERR ' . str_repeat('no ', 1 << 20)],
        'drip' => str_split('$400' . "\r\n" . str_repeat('x', 400)),
        'silence' => [],
        'hang up' => null,
        'wrong types' => ["*2\r\n\$1\r\na\r\n:7\r\n"],
        'nil' => ["$-1\r\n"],
        'huge integer' => [":9223372036854775808123\r\n"],
        'binary noise' => ["\0\xff\xfe\r\n\0\0" . str_repeat("\x80", 100)],
        // Grants, and has an answer ready for what it has not been asked yet.
        'extra replies' => str_contains($request, 'SET') ? ["+OK\r\n:1\r\n:1\r\n"] : [],
        default => exit("no such manner: $manner\n"),
    };
}

$listener = stream_socket_server('tcp://127.0.0.1:0');
echo substr((string) strrchr((string) stream_socket_get_name($listener, false), ':'), 1), "\n";
$clients = [];
$pieces = [];
while (!feof(STDIN)) {
    $read = [STDIN, $listener, ...$clients];
    $write = $except = null;
    stream_select($read, $write, $except, 0, 80_000);
    foreach ($read as $stream) {
        if ($stream === STDIN) {
            fgets(STDIN);
        } elseif ($stream === $listener) {
            $client = stream_socket_accept($listener, 0);
            stream_set_blocking($client, false);
            $clients[(int) $client] = $client;
            $pieces[(int) $client] = [];
        } else {
            $request = @fread($stream, 65536);
            $answer = $request === '' || $request === false ? null : answer($argv[1], $request);
            if ($answer === null) {
                unset($clients[(int) $stream], $pieces[(int) $stream]);
                fclose($stream);
            } else {
                array_push($pieces[(int) $stream], ...$answer);
            }
        }
    }
    foreach ($clients as $index => $client) {
        $piece = array_shift($pieces[$index]);
        if ($piece !== null) {
            $sent = (int) @fwrite($client, $piece);
            if ($sent < strlen($piece)) {
                array_unshift($pieces[$index], substr($piece, $sent));
            }
        }
    }
}
