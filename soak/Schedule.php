<?php

/**
 * Draws what befalls each victim, from one seed.
 *
 * Each victim has a list of its own, and waits count from when it was well again: a slow machine delays faults but
 * changes none of them. All stay within the model of docs/guarantees.md: a killed server loses everything, and stays
 * away for longer than the longest lease, except where its clients have the guard.
 */

declare(strict_types=1);

namespace RedLock\Soak;

final class Schedule
{
    public const LEASE_SECONDS = 2.0;
    /** Beyond the lease: the drift that is allowed for, and room for our own measuring. */
    private const AWAY_MARGIN_SECONDS = 0.5;

    public function __construct(private readonly int $seed, private readonly float $seconds)
    {
    }

    /** @return list<Fault> */
    public function forServer(string $name): array
    {
        return $this->draw($name, static fn (): Fault => mt_rand(0, 1) === 0
            ? new Fault(self::between(3.0, 20.0), 'server stopped', self::between(0.02, 4.0))
            : new Fault(
                self::between(3.0, 20.0),
                'server killed',
                self::LEASE_SECONDS + self::AWAY_MARGIN_SECONDS + self::between(0.0, 2.0),
            ));
    }

    /**
     * Servers of which one after the other is restarted, so that a lock that is held for long meets all of it.
     *
     * @param float $lease the longest of their clients
     * @return list<Fault>
     */
    public function forRestarts(string $name, float $lease): array
    {
        return $this->draw($name, static fn (): Fault => new Fault(
            self::between(0.5, 1.0),
            'server restarted',
            $lease + self::AWAY_MARGIN_SECONDS + self::between(0.0, 0.3),
        ));
    }

    /**
     * A server that forgets everything and answers again at once: its clients need the guard.
     *
     * @return list<Fault>
     */
    public function forForgetful(string $name): array
    {
        return $this->draw($name, static fn (): Fault => mt_rand(0, 1) === 0
            ? new Fault(self::between(5.0, 20.0), 'server stopped', self::between(0.02, 2.0))
            : new Fault(self::between(5.0, 20.0), 'server forgot', 0.0));
    }

    /**
     * Two such servers, together.
     *
     * @return list<Fault>
     */
    public function forPair(string $name): array
    {
        return $this->draw($name, static fn (): Fault => new Fault(self::between(5.0, 40.0), 'two servers forgot', 0.0));
    }

    /**
     * A client that shall not live long; another one takes its place at once.
     *
     * @param float $more seconds that it may live longer
     * @return list<Fault>
     */
    public function forMortal(string $name, float $more): array
    {
        return $this->draw($name, static fn (): Fault => new Fault(self::between(0.3, 9.0 + $more), 'client killed', 0.0));
    }

    /**
     * A client that lives throughout: paused for less than its lease.
     *
     * @return list<Fault>
     */
    public function forElder(string $name, float $longest): array
    {
        return $this->draw($name, static fn (): Fault => new Fault(
            self::between(2.0, 15.0),
            'client paused',
            self::between(0.01, $longest),
        ));
    }

    /**
     * @param \Closure(): Fault $one
     * @return list<Fault>
     */
    private function draw(string $victim, \Closure $one): array
    {
        mt_srand(crc32("$this->seed $victim"));
        $faults = [];
        for ($sum = 0.0; $sum < $this->seconds; $sum += $fault->wait + $fault->lasts) {
            $faults[] = $fault = $one();
        }
        return $faults;
    }

    private static function between(float $low, float $high): float
    {
        return $low + ($high - $low) * mt_rand() / mt_getrandmax();
    }
}
