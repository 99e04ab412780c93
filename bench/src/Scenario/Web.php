<?php

declare(strict_types=1);

namespace Bench\Scenario;

use Bench\Crowd;
use Bench\Lab;
use Bench\Placement;
use Bench\Samples;
use Bench\Settings;
use Bench\WebSite;

/**
 * Document 004's own test: `ab -n1000 -c100` on a page that is inside a lock for 5 ms, with both of the
 * document's variants, the other locks of the documents, and waiting in line.
 */
final class Web
{
    /** Kind of lock => the numbers of servers that it is measured with. */
    private const KINDS = ['setnx' => [1], 'setnx-sleep' => [1], 'native-pid' => [1], 'userland' => [3], 'polling' => [3],
        'line' => [1, 3]];

    /** @return array<string, mixed> by kind and number of servers; 'missing': why there is nothing */
    public static function run(Lab $lab): array
    {
        $missing = WebSite::missing();
        if ($missing !== '') {
            $lab->say("web: left out, there is no $missing");

            return ['missing' => $missing];
        }
        $lab->place(Placement::Free);
        $results = [];
        foreach (self::KINDS as $kind => $counts) {
            foreach ($counts as $count) {
                $lab->say("web: $kind, $count server(s)");
                // Of its own each time, so that no worker has known another kind.
                $site = $lab->webSite(Settings::CLIENTS);
                $results["$kind, N=$count"] = self::summarise($site->ask($kind, $lab->ports($count), $lab->settings->webRequests));
                $site->end();
            }
        }

        return $results;
    }

    /**
     * @param array<string, mixed> $pass
     * @return array<string, mixed>
     */
    private static function summarise(array $pass): array
    {
        $waitMs = static fn (float $share) => Samples::quantile($pass['wait_ns'], $share) / 1e6;

        return ['requests_per_second' => $pass['requests_per_second'], 'failed' => $pass['failed'],
            'overlaps' => $pass['overlaps'],
            'wait_ms' => ['p50' => $waitMs(0.50), 'p99' => $waitMs(0.99), 'max' => $waitMs(1.0)],
            'release_us' => Crowd::quantilesUs([$pass], 'release_ns')];
    }
}
