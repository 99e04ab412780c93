<?php

/** A wait without an end: signals that ask the process to end also end it, though its handlers only set a flag; so does what waiting does not help. */

declare(strict_types=1);

namespace RedLock\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Symfony\RedLockStore;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\LockFactory;

final class SignalTest extends StoreTestCase
{
    /** A worker as that of Messenger: its handler sets a flag, and what comes of the message is its own affair. */
    private const WORKER = '
        $stop = false;
        pcntl_async_signals(true);
        $handler = static function (int $signal, mixed $info) use (&$stop): void {
            $stop = is_array($info) ? $signal : 0;
        };
        pcntl_signal($args["signal"], $handler);
        $lock = (new Symfony\Component\Lock\LockFactory($store))->createLock("r");
        report("waiting");
        try {
            report($lock->acquire(true));
        } catch (Symfony\Component\Lock\Exception\LockConflictedException $error) {
            report($error->getMessage());
        }
        report([$stop, pcntl_signal_get_handler($args["signal"]) === $handler]);
    ';

    #[TestWith([\SIGTERM])]
    #[TestWith([\SIGINT])]
    #[TestWith([\SIGQUIT])]
    public function testASignalWhoseHandlerSetsAFlagEndsTheWait(int $signal): void
    {
        $store = self::store();
        $key = self::saved($store);
        $worker = $this->process(self::WORKER, ['signal' => $signal]);
        self::assertSame('waiting', PhpProcess::report($worker));
        $this->waiters(1);
        posix_kill($worker->pid, $signal);
        self::assertStringContainsString('cancelled', PhpProcess::report($worker));
        self::assertSame([$signal, true], PhpProcess::report($worker), 'the handler was called, and is there as before');
        self::assertSame(0, $worker->wait());
        $this->waiters(0);
        $store->delete($key);
    }

    public function testAnotherSignalDoesNot(): void
    {
        $store = self::store();
        $key = self::saved($store);
        $worker = $this->process(self::WORKER, ['signal' => \SIGUSR1]);
        self::assertSame('waiting', PhpProcess::report($worker));
        $this->waiters(1);
        posix_kill($worker->pid, \SIGUSR1);
        $store->delete($key);
        self::assertTrue(PhpProcess::report($worker));
        self::assertSame([\SIGUSR1, true], PhpProcess::report($worker));
    }

    public function testAHandlerThatIsSetDuringTheWaitStays(): void
    {
        $key = self::saved(self::store());
        $worker = $this->process('
            pcntl_async_signals(true);
            $last = static fn () => null;
            pcntl_signal(SIGTERM, static fn () => pcntl_signal(SIGTERM, $last));
            report("waiting");
            try {
                $store->waitAndSave(new Symfony\Component\Lock\Key("r"));
            } catch (Symfony\Component\Lock\Exception\LockConflictedException) {
                report(pcntl_signal_get_handler(SIGTERM) === $last);
            }
        ');
        self::assertSame('waiting', PhpProcess::report($worker));
        $this->waiters(1);
        posix_kill($worker->pid, \SIGTERM);
        self::assertTrue(PhpProcess::report($worker));
        self::store()->delete($key);
    }

    public function testWithoutAHandlerTheProcessEndsAsItWould(): void
    {
        $key = self::saved(self::store());
        $worker = $this->process('
            report("waiting");
            $store->waitAndSave(new Symfony\Component\Lock\Key("r"));
        ');
        self::assertSame('waiting', PhpProcess::report($worker));
        $this->waiters(1);
        posix_kill($worker->pid, \SIGTERM);
        self::assertSame(128 + \SIGTERM, $worker->wait());
        self::store()->delete($key);
    }

    /** @param array<string, mixed> $field of each server */
    #[DataProvider('vain')]
    public function testWhatWaitingDoesNotHelpEndsItAtOnce(array $field, string $fault): void
    {
        $fleet = $this->fleet(3, ['requirepass' => 'secret']);
        $servers = array_map(static fn (array $spec): array => ['host' => $spec[0], 'port' => $spec[1], 'timeout' => 2] + $field, $fleet->specs());
        $lock = (new LockFactory(new RedLockStore(new LockManager($servers))))->createLock('r');
        $begin = Wait::now();
        $error = self::caught(LockAcquiringException::class, static fn () => $lock->acquire(true));
        self::assertLessThan(20.0, Wait::now() - $begin);
        $cause = $error->getPrevious()->getPrevious();
        self::assertInstanceOf(QuorumException::class, $cause);
        self::assertContains($fault, $cause->faults());
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function vain(): iterable
    {
        yield 'a wrong password' => [['password' => 'wrong'], 'auth'];
        yield 'no password' => [[], 'auth'];
    }

    private function waiters(int $count): void
    {
        $locks = new LockManager(self::$fleet->specs(3));
        Wait::until(static fn (): bool => $locks->inspect('r')['waiters'] === $count, "$count in line");
    }
}
