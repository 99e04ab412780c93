<?php

/**
 * Draws edits of the core, for bin/mutants.
 *
 * usage: php tests/mutants/generator/main.php --root DIR --out DIR --count N --seed S [PATH...]
 *
 * Writes NAME.patch for each into the folder --out, and prints "NAME|PATH|KIND|JUDGEMENT"; what survivors.txt has and
 * no source offers any more goes to standard error. PATH: only files whose path begins so.
 */

declare(strict_types=1);

namespace RedLock\Mutants;

foreach (['Token', 'Code', 'Edit', 'Kinds', 'Draw', 'Judged'] as $class) {
    require __DIR__ . "/$class.php";
}

$options = getopt('', ['root:', 'out:', 'count:', 'seed:'], $rest);
$only = array_slice($argv, $rest) ?: ['core/'];
$root = $options['root'];
$sources = [];
foreach (new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator("$root/core", \FilesystemIterator::SKIP_DOTS)) as $file) {
    if (in_array($file->getExtension(), ['cpp', 'hpp'], true)) {
        $sources[] = substr($file->getPathname(), strlen($root) + 1);
    }
}
sort($sources);
$offered = [];
foreach ($sources as $path) {
    array_push($offered, ...Kinds::offeredBy(new Code($path, file_get_contents("$root/$path"))));
}
$judged = Judged::read(file_get_contents("$root/tests/mutants/survivors.txt"));
foreach ($judged->outdated($offered) as $key) {
    fwrite(STDERR, "tests/mutants/survivors.txt has an edit that no longer applies: " . strtr($key, "\n", ' ') . "\n");
}
$wanted = array_filter($offered, static fn(Edit $edit): bool
    => array_filter($only, static fn(string $start): bool => str_starts_with($edit->path, $start)) !== []);
foreach (Draw::from($wanted, (int) $options['count'], (int) $options['seed']) as $edit) {
    $place = strtr(substr($edit->path, strlen('core/redlock/')), '/.', '--');
    $name = preg_replace('~-cpp$~', '', $place) . "-$edit->line-$edit->kind";
    file_put_contents("$options[out]/$name.patch", $edit->patch());
    echo "$name|$edit->path|$edit->kind|{$judged->of($edit)}\n";
}
