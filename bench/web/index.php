<?php

// One request of the web test, under php-fpm: takes the lock of the kind that the query names, is inside
// for 5 ms, gives it back, and writes down when; `?kind=KIND&ports=PORTS`.

declare(strict_types=1);

namespace Bench;

require __DIR__ . '/../../harness/autoload.php';

const ATTEMPTS = 1000000;

$dir = $_SERVER['BENCH_DIR'];
$ports = array_map(intval(...), explode(',', $_GET['ports']));
$witness = fopen("$dir/witness", 'c');
$lock = new Lock($_GET['kind'], $ports, ATTEMPTS, $dir);
$asked = hrtime(true);
$lock->acquire('bench:web');
$held = hrtime(true);
$overlap = !flock($witness, LOCK_EX | LOCK_NB);
usleep(Settings::HOLD_US);
flock($witness, LOCK_UN);
$done = hrtime(true);
$lock->release();
$turn = json_encode([$held - $asked, hrtime(true) - $done, (int) $overlap], JSON_THROW_ON_ERROR);
// In one write at the end of the file: nobody's line is torn.
file_put_contents("$dir/turns", "$turn\n", FILE_APPEND);
echo 'ok';
