<?php

/**
 * What is protected says no to the one who was too slow: a lease can end while its owner does not run, so the last word
 * is a version that is compared where the data is.
 */

use RedLock\LockManager;

$table = ['balance' => 100, 'version' => 7];   // a row of your database
$update = function (int $balance, int $version) use (&$table): bool {
    // UPDATE account SET balance = :balance, version = version + 1 WHERE id = 1 AND version = :version
    if ($table['version'] !== $version) {
        return false;
    }
    $table = ['balance' => $balance, 'version' => $version + 1];
    return true;
};

$locks = new LockManager('127.0.0.1:6379');
$slow = $locks->acquire('account-1', ttl: 200);
$read = $table;
usleep(300_000);   // the whole process stood still: its lease ends, and somebody else works
$fast = $locks->acquire('account-1', ttl: 2_000, wait: 2_000);
var_dump($update($table['balance'] - 30, $table['version']));   // true
$fast->release();

var_dump($slow->isLive());                                       // false: it could have asked
var_dump($update($read['balance'] - 50, $read['version']));      // false: and if it does not, nothing is overwritten
