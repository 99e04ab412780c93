<?php

/**
 * Sees for itself whether two processes are ever inside at once, and knows nothing of Redis.
 *
 * Whoever is inside holds a file lock of the kernel, and counts up a number in a file in two separate steps: a
 * second one inside is noticed at the door, and would lose an update of the number too.
 */

declare(strict_types=1);

namespace RedLock\Harness;

final class Witness
{
    private const NOTE_BYTES = 64;

    /** @var resource */
    private $door;
    private int $countSeen = 0;
    private string $who = '';

    public function __construct(public readonly string $folder)
    {
        $door = fopen("$folder/door", 'c+');
        if ($door === false) {
            throw new \RuntimeException("cannot open $folder/door");
        }
        $this->door = $door;
    }

    public static function create(): self
    {
        return new self(TempFolder::make());
    }

    /** Says who is inside; notes an overlap when somebody is already. */
    public function enter(string $who): void
    {
        if (!flock($this->door, LOCK_EX | LOCK_NB)) {
            $this->add('overlaps', sprintf('%s met %s at %.4f', $who, $this->holder(), Wait::now()));
        }
        $this->who = $who;
        $this->note('holder', $who);
        $this->countSeen = $this->count();
    }

    public function leave(): void
    {
        $this->note('count', (string) ($this->countSeen + 1));
        $this->note('holder', '');
        flock($this->door, LOCK_UN);
    }

    /**
     * Whoever is inside says, before he leaves, that he has stayed for longer than anything may keep others out: an
     * overlap since then is the fault of the machine, which did not let him out.
     */
    public function overstayed(float $since): void
    {
        $this->add('overstays', sprintf("%s\t%.4f\t%.4f", $this->who, $since, Wait::now()));
    }

    /** For how many seconds whoever was met had overstayed by then; null where he had not. */
    public function overstay(string $overlap): ?float
    {
        [, $met, $at] = preg_split('/ met | at /', $overlap);
        foreach (@file("$this->folder/overstays", FILE_IGNORE_NEW_LINES) ?: [] as $line) {
            [$who, $since, $until] = explode("\t", $line);
            if ($who === $met && (float) $at >= (float) $since && (float) $at <= (float) $until) {
                return (float) $at - (float) $since;
            }
        }
        return null;
    }

    private function add(string $file, string $line): void
    {
        file_put_contents("$this->folder/$file", "$line\n", FILE_APPEND | LOCK_EX);
    }

    /** In one write and never truncated, so that whoever looks on sees the old or the new text. */
    private function note(string $file, string $text): void
    {
        $stream = fopen("$this->folder/$file", 'c');
        if ($stream === false || fwrite($stream, str_pad($text, self::NOTE_BYTES)) !== self::NOTE_BYTES) {
            throw new \RuntimeException("cannot write $this->folder/$file");
        }
        fclose($stream);
    }

    public function holder(): string
    {
        return trim((string) @file_get_contents("$this->folder/holder"));
    }

    public function count(): int
    {
        return (int) @file_get_contents("$this->folder/count");
    }

    /** @return list<string> */
    public function overlaps(): array
    {
        return @file("$this->folder/overlaps", FILE_IGNORE_NEW_LINES) ?: [];
    }
}
