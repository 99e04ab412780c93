<?php

declare(strict_types=1);

namespace Bench;

use RedLock\Harness\RedisServer;

/** What one server has spent so far, by its own INFO; between two looks, what was asked of it meanwhile has cost. */
final class ServerLoad
{
    /** @param float $cpuUs of all its threads @param int $requests how often it read something @param float $memory in bytes */
    private function __construct(
        private readonly float $atUs,
        private readonly float $cpuUs,
        private readonly float $requests,
        private readonly float $scripts,
        private readonly float $scriptUs,
        public readonly float $memory,
    ) {
    }

    public static function of(RedisServer $server): self
    {
        $info = $server->client()->call('INFO', 'everything');
        $sum = static fn (string $pattern) => preg_match_all("/^$pattern/m", $info, $match) ? array_sum($match[1]) : 0.0;

        return new self(
            hrtime(true) / 1e3,
            1e6 * $sum('used_cpu_(?:user|sys):([\d.]+)'),
            $sum('total_reads_processed:(\d+)'),
            $sum('cmdstat_eval(?:sha)?:calls=(\d+)'),
            $sum('cmdstat_eval(?:sha)?:calls=\d+,usec=(\d+)'),
            $sum('used_memory:(\d+)'),
        );
    }

    /** @return array<string, float> what came on top of an earlier look, while so many locks were taken and given back */
    public function since(self $before, int $locks): array
    {
        $us = $this->atUs - $before->atUs;
        $scripts = $this->scripts - $before->scripts;

        return [
            'locks_per_second' => $locks / $us * 1e6,
            'cpu_share' => ($this->cpuUs - $before->cpuUs) / $us,
            'cpu_us_per_lock' => ($this->cpuUs - $before->cpuUs) / max(1, $locks),
            'requests_per_lock' => ($this->requests - $before->requests) / max(1, $locks),
            'scripts_per_second' => $scripts / $us * 1e6,
            'script_us' => ($this->scriptUs - $before->scriptUs) / max(1, $scripts),
        ];
    }
}
