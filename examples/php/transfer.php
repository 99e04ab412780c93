<?php

/**
 * Moves money between two accounts that are locked at once: one process moves it there, another one back, each names the
 * accounts in its own order, and neither stops the other for good.
 */

use RedLock\LockManager;

const SERVERS = ['127.0.0.1:6379', '127.0.0.1:6380', '127.0.0.1:6381'];

/** The accounts in a database that all processes share. */
final class Accounts
{
    private PDO $db;

    public function __construct(string $path)
    {
        $this->db = new PDO("sqlite:$path");
        $this->db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
    }

    public function open(): void
    {
        $this->db->exec('CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER)');
        $this->db->exec('INSERT INTO account VALUES (1, 100), (2, 100)');
    }

    public function balance(int $id): int
    {
        return (int) $this->db->query("SELECT balance FROM account WHERE id = $id")->fetchColumn();
    }

    /** Both or neither, also when the program ends in between. @param array<int, int> $balances by account */
    public function save(array $balances): void
    {
        $this->db->beginTransaction();
        $statement = $this->db->prepare('UPDATE account SET balance = ? WHERE id = ?');
        foreach ($balances as $id => $balance) {
            $statement->execute([$balance, $id]);
        }
        $this->db->commit();
    }
}

/** False: there is too little in it. */
function move(LockManager $locks, Accounts $accounts, int $from, int $to, int $amount): bool
{
    return $locks->synchronized(["account:$from", "account:$to"], function () use ($accounts, $from, $to, $amount): bool {
        $left = $accounts->balance($from) - $amount;
        if ($left < 0) {
            return false;
        }
        usleep(1_000);   // here another process would read balances that are about to change
        $accounts->save([$from => $left, $to => $accounts->balance($to) + $amount]);
        return true;
    });
}

/** Starts a process that moves money 20 times. */
function mover(string $path, int $from, int $to, int $amount): int
{
    $process = pcntl_fork();
    if ($process !== 0) {
        return $process;
    }
    $locks = new LockManager(SERVERS);
    $accounts = new Accounts($path);
    $moved = 0;
    for ($i = 0; $i < 20; ++$i) {
        $moved += move($locks, $accounts, $from, $to, $amount) ? $amount : 0;
    }
    echo "moved $moved from account $from to account $to\n";
    exit(0);
}

$path = tempnam(sys_get_temp_dir(), 'transfer');
(new Accounts($path))->open();
$processes = [mover($path, 1, 2, 3), mover($path, 2, 1, 2)];
$ended = 0;
foreach ($processes as $process) {
    pcntl_waitpid($process, $status);
    $ended += $status === 0 ? 1 : 0;
}
$accounts = new Accounts($path);
$balances = [$accounts->balance(1), $accounts->balance(2)];
unlink($path);
echo "the balances are $balances[0] and $balances[1]\n";
exit($ended === 2 && $balances === [80, 120] ? 0 : 1);
