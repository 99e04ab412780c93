<?php

declare(strict_types=1);

namespace Bench;

use RedLock\Harness\RedisServer;

/** How often servers have carried out a command so far, by their own INFO. */
final class CommandCount
{
    /**
     * @param list<RedisServer> $servers
     * @param string $command its name in lower case, or several with | between them; the INFO that asks counts from the next time on
     */
    public static function of(array $servers, string $command): int
    {
        $count = static function (RedisServer $server) use ($command): int {
            preg_match_all("/^cmdstat_(?:$command):calls=(\d+)/m", $server->client()->call('INFO', 'commandstats'), $match);

            return (int) array_sum($match[1]);
        };

        return array_sum(array_map($count, $servers));
    }
}
