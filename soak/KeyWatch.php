<?php

/**
 * Looks at the one key of one server again and again, and says how long each value stays.
 *
 * No value may be there for longer than a lease, or the work under one that is kept alive, and a second, whoever wrote
 * it. A value that stays for longer than any turn takes belongs to nobody any more, and counts as an orphan.
 */

declare(strict_types=1);

namespace RedLock\Soak;

use RedLock\Harness\RedisServer;
use RedLock\Harness\RespClient;
use RedLock\Harness\Wait;

final class KeyWatch
{
    private ?RespClient $client = null;
    private bool $answers = true;
    private ?string $value = null;
    /** When the value was not there yet: its age is never underestimated. */
    private float $absentAt;
    private float $lookedAt;
    private bool $isOrphan = false;
    public int $orphansSeen = 0;
    public int $orphansGone = 0;
    public int $immortals = 0;
    public float $oldest = 0.0;

    /** @param float $orphanSeconds longer than any turn takes */
    public function __construct(
        private readonly RedisServer $server,
        private readonly string $key,
        private readonly float $orphanSeconds,
    ) {
        $this->absentAt = $this->lookedAt = Wait::now();
    }

    public function look(): void
    {
        if (!$this->answers) {
            return;
        }
        $this->client ??= $this->server->client();
        $asked = Wait::now();
        $this->client->send('GET', $this->key);
        $this->client->send('PTTL', $this->key);
        [$value, $pttl] = [$this->client->reply(), $this->client->reply()];
        if ($value !== $this->value) {
            $this->vanished();
            $this->value = $value;
            $this->absentAt = $this->lookedAt;
        }
        $this->lookedAt = $asked;
        if ($value !== null) {
            $this->age($asked - $this->absentAt, $pttl);
        }
    }

    private function age(float $seconds, int $pttl): void
    {
        $this->oldest = max($this->oldest, $seconds);
        if (!$this->isOrphan && $seconds > $this->orphanSeconds) {
            $this->isOrphan = true;
            ++$this->orphansSeen;
        }
        // -1: a key that would never go.
        $this->immortals += $pttl === -1 ? 1 : 0;
    }

    private function vanished(): void
    {
        $this->orphansGone += $this->isOrphan ? 1 : 0;
        $this->isOrphan = false;
        $this->value = null;
    }

    /** The server does not answer for a while, but keeps its keys. */
    public function pause(): void
    {
        $this->answers = false;
    }

    /** The server is gone with everything it held. */
    public function lost(): void
    {
        $this->pause();
        $this->client = null;
        $this->vanished();
    }

    public function resume(): void
    {
        $this->answers = true;
        // Nothing was executed in between.
        $this->lookedAt = Wait::now();
    }

    /** @return list<string> all keys that the server holds */
    public function keys(): array
    {
        return $this->server->client()->call('KEYS', '*');
    }
}
