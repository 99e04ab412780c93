<?php

/**
 * What becomes of locks, in a PSR-3 logger. Here is a small one for the terminal; give Events the one
 * of your application, such as Monolog's: of psr/log only the method log() is needed.
 */

use RedLock\LockManager;

final class Terminal
{
    public function log(string $level, string $message, array $context = []): void
    {
        $words = [];
        foreach ($context as $name => $value) {
            $words['{' . $name . '}'] = is_scalar($value) ? (string) $value : json_encode($value);
        }
        echo str_pad($level, 8), strtr($message, $words), "\n";
    }
}

/** Says at which level each event is logged, and in which words. */
final class Events
{
    private const WORDS = [
        'acquired' => ['debug', 'acquired {resource} after {waited} ms'],
        'waited' => ['info', 'somebody else has {resource}, after {waited} ms'],
        'extended' => ['debug', 'extended {resource} to {remaining} ms'],
        'shortened' => ['debug', 'shortened {resource} to {remaining} ms'],
        'released' => ['debug', 'released {resource}, held for {held} ms'],
        'lost' => ['error', '{reason}, held for {held} ms'],
        'unreachable' => ['critical', 'no majority of the servers can be asked for {resource}: {faults}'],
    ];

    /** For an event that a later version tells. */
    private const OTHERWISE = ['notice', '{event}: {resource}'];

    /** @param Terminal|Psr\Log\LoggerInterface $logger */
    public function __construct(private readonly object $logger)
    {
        if (!method_exists($logger, 'log')) {
            throw new TypeError($logger::class . ' is no PSR-3 logger');
        }
    }

    public function __invoke(string $event, array $facts): void
    {
        [$level, $message] = self::WORDS[$event] ?? self::OTHERWISE;
        $facts = ['event' => $event] + array_map(static fn ($fact) => is_float($fact) ? round($fact, 1) : $fact, $facts);
        $this->logger->log($level, "lock: $message", $facts);
        // The locks work; somebody should see to a server all the same.
        if ($facts['faults'] !== [] && $event !== 'unreachable') {
            $this->logger->log('warning', 'lock: servers in trouble: {faults}', $facts);
        }
    }
}

$locks = new LockManager('127.0.0.1:6379', ['onEvent' => new Events(new Terminal())]);
$lease = $locks->acquire('invoice:42', ttl: 10_000);
$lease?->extend(20_000);
$lease?->shorten(5_000);
$lease?->release();
