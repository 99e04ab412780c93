<?php

/** A table on a terminal that is drawn anew a few times a second, within 80 columns. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Harness\Fleet;
use RedLock\Harness\Wait;

final class LiveTable implements Display
{
    private const ROWS_MIN = 24;
    private const ROWS_MAX = 40;
    private const COLUMNS = 80;
    private const LEFT_COLUMNS = 36;
    private const WORKERS_ONE_BELOW_THE_OTHER = 8;
    private const SECONDS_BETWEEN_FRAMES = 0.2;
    private const COLOURS = ['up' => '32', 'killed' => '31', 'stopped' => '33'];

    private Fleet $fleet;
    private string $program = '';
    private float $opened = 0.0;
    private float $seconds = 0.0;
    private float $lastFrame = 0.0;
    private bool $isOpen = false;
    private int $rows = self::ROWS_MIN;
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
        [$rows, $columns] = self::size();
        return $rows >= self::ROWS_MIN && $columns >= self::COLUMNS;
    }

    /** @return array{int, int} rows and columns; the least that is used where nobody knows */
    private static function size(): array
    {
        $size = explode(' ', trim((string) shell_exec('stty size 2>/dev/null </dev/tty')));
        return count($size) === 2 ? [(int) $size[0], (int) $size[1]] : [self::ROWS_MIN, self::COLUMNS];
    }

    public function open(Fleet $fleet, string $program, float $seconds): void
    {
        $this->fleet = $fleet;
        $this->program = $program;
        $this->seconds = $seconds;
        $this->opened = Wait::now();
        $this->isOpen = true;
        $this->rows = min(self::ROWS_MAX, self::size()[0]);
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
        $lines = [$this->headline($act), " $act->explanation", ' ' . $act->tempo->rhythm(), '', ...$this->columns($act), ''];
        array_push($lines, ...self::totals($act), ...['']);
        array_push($lines, ...array_slice($this->notes, -($this->rows - count($lines))));
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
        $left = [sprintf(' %-16s%5s  %s', $this->program, 'port', 'state')];
        foreach ($act->servers() as $index => $server) {
            $state = $act->stateOf($index);
            $text = sprintf(' %-16s%5d  ', 'server ' . ($index + 1), $server->port);
            $left[] = $text . "\e[" . self::COLOURS[$state] . 'm' . $state . "\e[0m";
        }
        $right = count($act->crew()->workers) > self::WORKERS_ONE_BELOW_THE_OTHER ? self::pairs($act) : self::rows($act);
        $lines = [];
        foreach ($right as $row => $text) {
            $lines[] = self::padded($left[$row] ?? '', self::LEFT_COLUMNS) . $text;
        }
        return $lines;
    }

    /** One worker below the other. @return list<string> */
    private static function rows(Act $act): array
    {
        $rows = [sprintf('  %-10s%6s%11s%13s', 'worker', 'turns', 'last wait', 'longest wait')];
        $holder = $act->witness()->holder();
        foreach ($act->crew()->workers as $worker) {
            $rows[] = self::marked($worker->name === $holder, sprintf(
                '%-10s%6d%8.0f ms%10.0f ms',
                $worker->kind === $act->title ? $worker->name : "$worker->kind " . substr($worker->name, -1),
                $worker->turns,
                $worker->lastWaitUs / 1000,
                $worker->longestWaitUs / 1000,
            ));
        }
        return $rows;
    }

    /** Two workers side by side, and below them who waits. @return list<string> */
    private static function pairs(Act $act): array
    {
        $cell = '%3s %6s %8s';
        $head = '  ' . sprintf($cell, 'no.', 'turns', 'wait');
        $rows = ["$head$head"];
        $holder = $act->witness()->holder();
        $cells = array_map(static fn (Worker $worker): string => self::marked($worker->name === $holder, sprintf(
            $cell,
            substr($worker->name, strlen('worker ')),
            $worker->killed ? '-9' : $worker->turns,
            sprintf('%.0f ms', $worker->lastWaitUs / 1000),
        )), $act->crew()->workers);
        $half = intdiv(count($cells) + 1, 2);
        for ($row = 0; $row < $half; ++$row) {
            $rows[] = $cells[$row] . ($cells[$half + $row] ?? '');
        }
        return $rows;
    }

    private static function marked(bool $inside, string $text): string
    {
        return $inside ? "\e[1m* $text\e[0m" : "  $text";
    }

    /** @return list<string> */
    private static function totals(Act $act): array
    {
        $crew = $act->crew();
        $median = $crew->medianWaitMs();
        $numbers = array_map(static fn (Worker $w): string => substr($w->name, strlen('worker ')), $act->line());
        return [
            ...($act->title === 'in line' ? [' in line: ' . (implode(' ', $numbers) ?: 'nobody')] : []),
            sprintf(
                ' all: %d turns, %.0f a second now, median wait %s, refused %d times',
                $crew->turns(),
                $crew->turnsPerSecond(),
                $median === null ? '-' : sprintf('%.0f ms', $median),
                $crew->troubleCount(),
            ),
            sprintf(
                ' * inside now: %-9s  two inside at once: %s',
                $act->witness()->holder() ?: 'nobody',
                count($act->witness()->overlaps()) ?: 'never',
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
        $start = sprintf(' %4d s  ', (int) $act->elapsed());
        foreach (explode("\n", wordwrap($text, self::COLUMNS - 10, "\n", true)) as $line) {
            $this->story[] = $start . $line;
            $this->add($start . $line);
            $start = str_repeat(' ', strlen($start));
        }
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
        $this->notes = array_slice([...$this->notes, substr($line, 0, self::COLUMNS)], -self::ROWS_MAX);
    }

    public function close(): void
    {
        if ($this->isOpen) {
            $this->isOpen = false;
            echo "\e[?25h\e[?1049l", implode("\n", array_slice($this->story, 1)), "\n";
        }
    }
}
