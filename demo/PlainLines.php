<?php

/** One line a second, for files and pipes. */

declare(strict_types=1);

namespace RedLock\Demo;

use RedLock\Harness\Fleet;

final class PlainLines implements Display
{
    private int $lastSecond = 0;

    public function open(Fleet $fleet, string $program, float $seconds): void
    {
        $ports = implode(' ', array_map(static fn ($s): int => $s->port, $fleet->servers));
        printf("redlock demo: five private servers (%s) on ports %s; about %.0f s\n", $program, $ports, $seconds);
    }

    public function begin(Act $act): void
    {
        echo "\n$act->title: $act->explanation\n", $act->tempo->rhythm(), "\n";
        $this->lastSecond = 0;
    }

    public function show(Act $act): void
    {
        $second = (int) $act->elapsed();
        if ($second === $this->lastSecond) {
            return;
        }
        $this->lastSecond = $second;
        $crew = $act->crew();
        $median = $crew->medianWaitMs();
        $line = array_map(static fn (Worker $w): string => substr($w->name, strlen('worker ')), $act->line());
        printf(
            "%4d s %5.0f turns/s  median wait %7s  overlaps %d  refused %d  servers: %s%s\n",
            $second,
            $crew->turnsPerSecond(),
            $median === null ? '-' : sprintf('%.0f ms', $median),
            count($act->witness()->overlaps()),
            $crew->troubleCount(),
            implode(' ', array_map($act->stateOf(...), array_keys($act->servers()))),
            $act->title === 'in line' ? '  in line: ' . implode(' ', $line) : '',
        );
    }

    public function note(Act $act, string $text): void
    {
        printf("%4d s  >> %s\n", (int) $act->elapsed(), $text);
    }

    public function quote(string $text): void
    {
        echo preg_replace('/^/m', '           ', wordwrap($text, 96)), "\n";
    }

    public function close(): void
    {
    }
}
