<?php

/** A table on a terminal that is drawn anew a few times a second, within 80 columns and 24 rows. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Tests\Support\Fleet;
use RedLock\Tests\Support\Wait;

final class LiveTable implements Display
{
    private const ROWS = 24;
    private const COLUMNS = 80;
    private const NOTES_MAX = 9;
    private const SECONDS_BETWEEN_FRAMES = 0.2;
    private const COLOURS = ['up' => '32', 'killed' => '31', 'stopped' => '33'];

    private Fleet $fleet;
    private string $program = '';
    private float $opened = 0.0;
    private float $seconds = 0.0;
    private float $lastFrame = 0.0;
    private bool $isOpen = false;
    /** @var list<string> */
    private array $notes = [];
    /** @var list<string> the whole story, for after the table is gone */
    private array $story = [];

    /** Whether there is a terminal that is large enough.
     *
     * @param resource $stream
     */
    public static function fits($stream): bool
    {
        if (!stream_isatty($stream) || in_array(getenv('TERM'), [false, '', 'dumb'], true)) {
            return false;
        }
        $size = explode(' ', trim((string) shell_exec('stty size 2>/dev/null </dev/tty')));
        return count($size) !== 2 || ((int) $size[0] >= self::ROWS && (int) $size[1] >= self::COLUMNS);
    }

    public function open(Fleet $fleet, string $program, float $seconds): void
    {
        $this->fleet = $fleet;
        $this->program = $program;
        $this->seconds = $seconds;
        $this->opened = Wait::now();
        $this->isOpen = true;
        // The alternate screen, without a cursor: what was on the terminal comes back afterwards.
        echo "\e[?1049h\e[?25l";
    }

    public function begin(Act $act): void
    {
        $this->notes = [];
        $this->story[] = '';
        $this->story[] = "$act->title: $act->explanation";
    }

    public function show(Act $act): void
    {
        if (Wait::now() - $this->lastFrame < self::SECONDS_BETWEEN_FRAMES) {
            return;
        }
        $this->lastFrame = Wait::now();
        $lines = [$this->headline($act), " $act->explanation", '', ...$this->columns($act), ''];
        array_push($lines, ...self::totals($act), ...['']);
        array_push($lines, ...array_slice($this->notes, -(self::ROWS - count($lines))));
        echo "\e[H", implode("\e[K\n", $lines), "\e[K\e[J";
    }

    private function headline(Act $act): string
    {
        $time = sprintf('%.0f s of about %.0f s ', Wait::now() - $this->opened, $this->seconds + 1);
        $title = " redlock demo: $act->title";
        return "\e[7m" . $title . str_pad($time, self::COLUMNS - strlen($title), ' ', STR_PAD_LEFT) . "\e[0m";
    }

    /** Servers on the left, workers on the right. @return list<string> */
    private function columns(Act $act): array
    {
        $left = [sprintf(' %-28s %s', $this->program, 'state')];
        foreach ($this->fleet->servers as $index => $server) {
            $state = $act->stateOf($index);
            $text = sprintf(' server %d on %-15s  ', $index + 1, $server->name());
            $left[] = $text . "\e[" . self::COLOURS[$state] . 'm' . $state . "\e[0m";
        }
        $right = [sprintf('%-10s%8s%12s%12s', 'worker', 'turns', 'last wait', 'longest')];
        $holder = $act->witness()->holder();
        foreach ($act->crew()->workers as $worker) {
            $line = sprintf(
                '%-10s%8d%9.0f ms%9.0f ms',
                $worker->kind === $act->title ? $worker->name : "$worker->kind " . substr($worker->name, -1),
                $worker->turns,
                $worker->lastWaitUs / 1000,
                $worker->longestWaitUs / 1000,
            );
            $right[] = $worker->name === $holder ? "\e[1m$line\e[0m" : $line;
        }
        $lines = [];
        foreach ($right as $row => $text) {
            $lines[] = self::padded($left[$row] ?? '', 38) . $text;
        }
        return $lines;
    }

    /** @return list<string> */
    private static function totals(Act $act): array
    {
        $crew = $act->crew();
        $median = $crew->medianWaitMs();
        return [
            sprintf(
                ' turns %d   per second %.0f   median wait %s   inside now: %s',
                $crew->turns(),
                $crew->turnsPerSecond(),
                $median === null ? '-' : sprintf('%.0f ms', $median),
                $act->witness()->holder() ?: 'nobody',
            ),
            sprintf(
                ' witness: %d overlaps, counter at %d   exceptions so far: %d',
                count($act->witness()->overlaps()),
                $act->witness()->count(),
                $crew->troubleCount(),
            ),
        ];
    }

    /** Pads by what is visible: escape sequences take no room. */
    private static function padded(string $text, int $columns): string
    {
        $visible = strlen((string) preg_replace('/\e\[[0-9;]*m/', '', $text));
        return $text . str_repeat(' ', max(0, $columns - $visible));
    }

    public function note(Act $act, string $text): void
    {
        $line = sprintf(' %4d s  %s', (int) $act->elapsed(), $text);
        $this->story[] = $line;
        $this->add($line);
    }

    public function quote(string $text): void
    {
        foreach (explode("\n", wordwrap($text, self::COLUMNS - 10, "\n", true)) as $line) {
            $this->story[] = "         $line";
            $this->add("         $line");
        }
    }

    private function add(string $line): void
    {
        $this->notes = array_slice([...$this->notes, substr($line, 0, self::COLUMNS)], -self::NOTES_MAX);
    }

    public function close(): void
    {
        if ($this->isOpen) {
            $this->isOpen = false;
            echo "\e[?25h\e[?1049l", implode("\n", array_slice($this->story, 1)), "\n";
        }
    }
}
