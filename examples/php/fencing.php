<?php

/**
 * A fence keeps out whoever is too late: each holder of a lock gets a larger number than all before, and the database
 * refuses what a smaller one writes. Here a worker is stopped in the middle, for longer than its lease.
 */

use RedLock\LockManager;

const SERVERS = ['127.0.0.1:6379', '127.0.0.1:6380', '127.0.0.1:6381'];

/** The account in a database that all workers share. */
final class Account
{
    private PDO $db;

    public function __construct(string $path)
    {
        $this->db = new PDO("sqlite:$path");
        $this->db->setAttribute(PDO::ATTR_ERRMODE, PDO::ERRMODE_EXCEPTION);
    }

    public function open(): void
    {
        $this->db->exec('CREATE TABLE account (id INTEGER PRIMARY KEY, balance INTEGER, fence INTEGER)');
        $this->db->exec('INSERT INTO account VALUES (1, 100, 0)');
    }

    /** Before anything is read: from now on nobody with a smaller fence writes. */
    public function claim(int $fence): bool
    {
        return $this->change('UPDATE account SET fence = ? WHERE id = 1 AND fence < ?', [$fence, $fence]);
    }

    public function balance(): int
    {
        return (int) $this->db->query('SELECT balance FROM account WHERE id = 1')->fetchColumn();
    }

    /** False: a later holder of the lock has claimed it. */
    public function write(int $balance, int $fence): bool
    {
        return $this->change('UPDATE account SET balance = ? WHERE id = 1 AND fence = ?', [$balance, $fence]);
    }

    private function change(string $sql, array $values): bool
    {
        $statement = $this->db->prepare($sql);
        $statement->execute($values);
        return $statement->rowCount() === 1;
    }
}

/** Withdraws under the lock; $pause is what happens between reading and writing. */
function withdraw(string $who, int $amount, string $path, int $ttl, callable $pause): bool
{
    $account = new Account($path);
    $locks = new LockManager(SERVERS);
    $lease = $locks->acquire('account:1', $ttl, wait: 20_000, options: ['fence' => true]);
    if (!$account->claim($lease->fence)) {
        return false;   // a later holder has been here already
    }
    $balance = $account->balance();
    echo "$who holds the lock and reads $balance\n";
    $pause();
    $written = $account->write($balance - $amount, $lease->fence);
    echo $written ? "$who writes " . ($balance - $amount) . "\n" : "$who is too late: refused\n";
    $lease->release();
    return $written;
}

$path = tempnam(sys_get_temp_dir(), 'fencing');
(new Account($path))->open();

// It stops itself, as the system may do with a whole machine.
$stopped = pcntl_fork();
if ($stopped === 0) {
    $written = withdraw('the first', 50, $path, 300, fn () => posix_kill(getmypid(), SIGSTOP));
    exit($written ? 1 : 0);
}
pcntl_waitpid($stopped, $status, WUNTRACED);
echo "the first is stopped\n";

$written = withdraw('the second', 30, $path, 10_000, fn () => null);   // it waits until that lease is over

posix_kill($stopped, SIGCONT);
pcntl_waitpid($stopped, $status);
$refused = pcntl_wexitstatus($status) === 0;

$balance = (new Account($path))->balance();
unlink($path);
echo "the balance is $balance\n";
exit($written && $refused && $balance === 70 ? 0 : 1);
