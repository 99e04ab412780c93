<?php

/** Collects what each rule found, prints a line per rule, and counts. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Report
{
    private int $passed = 0;
    private int $failed = 0;

    /**
     * One rule: how many things were checked, and what is wrong with which of them.
     *
     * A rule that found nothing to check has failed: its pattern is out of date.
     *
     * @param list<string> $complaints
     */
    public function rule(string $name, int $checked, array $complaints): void
    {
        if ($checked === 0) {
            $complaints[] = 'nothing was there to check';
        }
        printf("%-6s %-58s %5d checked\n", $complaints === [] ? 'ok' : 'FAILED', $name, $checked);
        foreach ($complaints as $complaint) {
            echo "       $complaint\n";
        }
        $complaints === [] ? $this->passed++ : $this->failed++;
    }

    /** Prints the counts and gives the exit status. */
    public function close(): int
    {
        echo "$this->passed passed, $this->failed failed\n";
        return $this->failed === 0 ? 0 : 1;
    }
}
