<?php

/** Changing the list of servers: one server at a time keeps the promise, also under load; two at a time break it. */

declare(strict_types=1);

namespace RedLock\Tests\Servers;

use RedLock\Harness\ChildProcess;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\Harness\Witness;
use RedLock\LockManager;
use RedLock\Tests\Support\SharedFleetTestCase;

final class ServerListTest extends SharedFleetTestCase
{
    private const SERVERS_MAX = 16;

    /** Takes turns with the servers that its file names, and says when it has begun with others: it holds no lock then. */
    private const WORKER = '
        $witness = new RedLock\Harness\Witness($args["folder"]);
        $list = "";
        for ($turns = 0; !is_file("$args[folder]/end");) {
            $wanted = file_get_contents("$args[folder]/list-$args[number]");
            if ($wanted !== $list) {
                $servers = json_decode($list = $wanted);
                $locks = new RedLock\LockManager($servers, ["retryDelay" => 4]);
                $redLock = new RedLock($servers, 4, 50);
                report("other servers");
            }
            try {
                $lock = $args["number"] % 2 ? $locks->acquire("r", 20000, 100) : $redLock->lock("r", 20000);
            } catch (RedLock\QuorumException) {
                continue;
            }
            if ($lock) {
                $witness->enter((string) getmypid());
                usleep(500);
                $witness->leave();
                ++$turns;
                is_array($lock) ? $redLock->unlock($lock) : $lock->release();
            }
        }
        report($turns);
    ';

    private Witness $witness;

    private static function majority(int $servers): int
    {
        return intdiv($servers, 2) + 1;
    }

    /** Whether a majority of each list may have no server in common with one of the other. */
    private static function canMiss(array $one, array $other): bool
    {
        foreach (self::subsets($one) as $held) {
            if (count($held) === self::majority(count($one)) && count(array_diff($other, $held)) >= self::majority(count($other))) {
                return true;
            }
        }
        return false;
    }

    /** @return iterable<list<int>> */
    private static function subsets(array $set): iterable
    {
        for ($bits = 0; $bits < 1 << count($set); ++$bits) {
            yield array_filter($set, static fn (int $i): bool => ($bits >> $i & 1) === 1, ARRAY_FILTER_USE_KEY);
        }
    }

    public function testOneServerMoreOrLessLeavesMajoritiesThatMeetForEveryNumberOfServers(): void
    {
        for ($count = 1; $count < self::SERVERS_MAX; ++$count) {
            $servers = range(1, $count);
            // Two majorities miss each other only where all servers together are enough for both.
            $enough = static fn (int $all, int $other): bool => self::majority($count) + self::majority($other) <= $all;
            self::assertFalse($enough($count + 1, $count + 1), "$count and one more");
            if ($count < 9) {
                self::assertFalse(self::canMiss($servers, range(1, $count + 1)), "$count and one more");
                self::assertSame($enough($count + 2, $count + 2), self::canMiss($servers, range(1, $count + 2)), "$count and two more");
                self::assertSame($enough($count + 1, $count), self::canMiss($servers, range(2, $count + 1)), "one of $count replaced");
            }
            // Which is why the recipe takes one step at a time.
            self::assertSame($count % 2 === 1, $enough($count + 2, $count + 2), "$count and two more");
            self::assertSame($count % 2 === 1, $enough($count + 1, $count), "one of $count replaced");
        }
    }

    public function testNobodyMeetsAnybodyWhereOneServerIsAddedAndThenOneIsRemoved(): void
    {
        $workers = $this->workers([0, 1, 2]);
        foreach ([[0, 1, 2, 3], [1, 2, 3], [1, 2], [2], [2, 4]] as $servers) {
            foreach ($workers as $number => $worker) {
                $this->change($number, $servers);
                self::assertSame('other servers', PhpProcess::report($worker));
                $before = $this->witness->count();
                Wait::until(fn (): bool => $this->witness->count() > $before + 5, 'the work to go on');
            }
        }
        touch("{$this->witness->folder}/end");
        $turns = array_map(PhpProcess::report(...), $workers);
        self::assertSame([], $this->witness->overlaps());
        self::assertSame(array_sum($turns), $this->witness->count(), 'the counter is exact');
    }

    /**
     * Where votes are split: one server was somebody else's as the lock was taken there.
     *
     * @dataProvider steps
     */
    public function testOneStepLetsNobodyInAndTwoAtOnceDo(array $old, array $new, bool $isLetIn): void
    {
        $splitter = self::$fleet->servers[0]->client();
        $splitter->call('SET', 'r', 'somebody');
        $first = self::locksOn($old)->acquire('r', 20_000);
        self::assertTrue($first?->confirm());
        $splitter->call('DEL', 'r');
        $second = self::locksOn($new)->acquire('r', 20_000);
        self::assertSame($isLetIn, $second !== null);
        self::assertTrue($first->confirm(), 'the first goes on');
    }

    /** @return iterable<string, array{list<int>, list<int>, bool}> */
    public static function steps(): iterable
    {
        yield 'one more' => [[0, 1, 2], [0, 1, 2, 3], false];
        yield 'one less' => [[0, 1, 2, 3], [0, 1, 2], false];
        yield 'one replaced' => [[0, 1, 2], [0, 1, 3], true];
        yield 'two more' => [[0, 1, 2], [0, 1, 2, 3, 4], true];
    }

    /** @param list<int> $servers which of the fleet */
    private static function locksOn(array $servers): LockManager
    {
        $specs = self::$fleet->specs(null, 2.0);
        return new LockManager(array_map(static fn (int $i): array => $specs[$i], $servers));
    }

    /** @param list<int> $servers which of the fleet @return array<int, ChildProcess> */
    private function workers(array $servers): array
    {
        $this->witness = Witness::create();
        $workers = [];
        foreach (range(0, 5) as $number) {
            $this->change($number, $servers);
            $workers[] = $this->php(self::WORKER, ['folder' => $this->witness->folder, 'number' => $number]);
        }
        foreach ($workers as $worker) {
            self::assertSame('other servers', PhpProcess::report($worker));
        }
        return $workers;
    }

    /** @param list<int> $servers */
    private function change(int $number, array $servers): void
    {
        $specs = self::$fleet->specs(null, 2.0);
        $file = "{$this->witness->folder}/list-$number";
        file_put_contents("$file.new", json_encode(array_map(static fn (int $i): array => $specs[$i], $servers)));
        rename("$file.new", $file);
    }
}
