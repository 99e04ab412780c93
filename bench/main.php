<?php

// Runs all scenarios, writes tables to standard output, and JSON, a chart and a page to a folder:
// `main.php full|quick PROGRAMS_DIR EXTENSION TEMPORARY_DIR TARGET_DIR [SCENARIO,...]`, called by bin/bench.

declare(strict_types=1);

namespace Bench;

use RedLock\Harness\Program;

require __DIR__ . '/../harness/autoload.php';

const SCENARIOS = ['Loopback', 'Delay', 'OneStopped', 'AllStopped', 'ContendedStopped', 'Leases', 'Family', 'Fence', 'Guard', 'Tls', 'Soak',
    'Contention', 'Line', 'ManyInLine', 'HandOver', 'KilledInLine', 'Sharing', 'Permits', 'Web', 'Capacity'];

Program::begin('bench', 'start it with bin/bench', ['redis', 'pcntl']);
[, $size, $programs, $extension, $dir, $target, $only] = $argv + [6 => ''];
$scenarios = $only === '' ? SCENARIOS : explode(',', $only);
if (array_diff($scenarios, SCENARIOS) !== []) {
    fwrite(STDERR, 'bench: the scenarios are ' . implode(', ', SCENARIOS) . "\n");
    exit(2);
}
$settings = $size === 'quick' ? Settings::quick() : Settings::full();
$startedNs = hrtime(true);
$lab = new Lab($settings, $programs, $extension, $dir);
$limit = $lab->limit($lab->ports(1));
$machine = Machine::describe($limit->hello['hiredis'], $extension);
$limit->end();
echo Machine::summarise($machine), "\n\n";

$results = [];
foreach ($scenarios as $scenario) {
    $name = strtolower(preg_replace('/(?<!^)[A-Z]/', '_$0', $scenario));
    $lab->say(str_replace('_', ' ', $name));
    $results[$name] = ["Bench\\Scenario\\$scenario", 'run']($lab);
}
$figures = Figures::of($results);
echo Report::text($results, $figures);

$seconds = (int) round((hrtime(true) - $startedNs) / 1e9);
$record = new Record($dir, $target, $settings, $machine, $seconds);
$record->writeJson($results, $figures);
$record->writePage($results, $figures);
echo "\n$seconds s; results are in $target\n";
