<?php

/**
 * The filtering proxy: argument 1 is the server's port, the others are commands at which it hangs up. Its own port is its
 * first line of output. It ends with its standard input.
 *
 * A request is handed on once it is complete. With the connection goes whatever was sent behind the command at which it was
 * hung up, and what the server has not answered by then.
 */

declare(strict_types=1);

/** One client and its own connection to the server. */
final class Client
{
    private string $asked = '';

    /**
     * @param resource $client
     * @param resource $server
     * @param list<string> $unknown
     */
    public function __construct(public $client, public $server, private readonly array $unknown)
    {
    }

    /** Hands on what has come from either side. False: this is the end. */
    public function carry(bool $fromClient): bool
    {
        $bytes = fread($fromClient ? $this->client : $this->server, 65536);
        if ($bytes === '' || $bytes === false) {
            return false;
        }
        return $fromClient ? $this->ask($bytes) : fwrite($this->client, $bytes) !== false;
    }

    private function ask(string $bytes): bool
    {
        $this->asked .= $bytes;
        while (($size = self::sizeOfFirst($this->asked)) > 0) {
            $request = substr($this->asked, 0, $size);
            $this->asked = substr($this->asked, $size);
            if (in_array(strtoupper(explode("\r\n", $request)[2]), $this->unknown, true)) {
                return false;
            }
            fwrite($this->server, $request);
        }
        return true;
    }

    /** The bytes of the first request, an array of bulk strings; 0 while it is not complete. */
    private static function sizeOfFirst(string $asked): int
    {
        if (preg_match('/\G\*(\d+)\r\n/', $asked, $count) !== 1) {
            return 0;
        }
        $at = strlen($count[0]);
        for ($i = 0; $i < (int) $count[1]; ++$i) {
            if (preg_match('/\G\$(\d+)\r\n/', $asked, $length, 0, $at) !== 1) {
                return 0;
            }
            $at += strlen($length[0]) + (int) $length[1] + 2;
        }
        return $at <= strlen($asked) ? $at : 0;
    }
}

$listener = stream_socket_server('tcp://127.0.0.1:0');
echo substr((string) strrchr((string) stream_socket_get_name($listener, false), ':'), 1), "\n";
/** @var array<int, Client> $clients */
$clients = [];
while (true) {
    $read = [STDIN, $listener];
    foreach ($clients as $client) {
        array_push($read, $client->client, $client->server);
    }
    $write = $except = null;
    stream_select($read, $write, $except, null);
    if (in_array(STDIN, $read, true) && fgets(STDIN) === false) {
        exit;
    }
    if (in_array($listener, $read, true)) {
        $clients[] = new Client(
            stream_socket_accept($listener),
            stream_socket_client("tcp://127.0.0.1:$argv[1]"),
            array_slice($argv, 2),
        );
    }
    foreach ($clients as $index => $client) {
        foreach ([true, false] as $fromClient) {
            if (in_array($fromClient ? $client->client : $client->server, $read, true) && !$client->carry($fromClient)) {
                fclose($client->client);
                fclose($client->server);
                unset($clients[$index]);
                break;
            }
        }
    }
}
