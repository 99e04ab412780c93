<?php

/** A network that delays, swallows and cuts, between us and real servers. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\FaultProxy;
use RedLock\Harness\Fleet;
use RedLock\Harness\Wait;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

/** @group real */
final class NetworkTest extends ServerTestCase
{
    private Fleet $servers;
    /** @var list<FaultProxy> */
    private array $proxies;

    protected function setUp(): void
    {
        $this->servers = $this->fleet(3);
        $this->proxies = array_map($this->proxy(...), $this->servers->servers);
    }

    private function redLock(float $timeout, int $retryCount = 1, int $retryDelay = 10): RedLock
    {
        $specs = array_map(static fn (FaultProxy $p): array => $p->spec($timeout), $this->proxies);
        return new RedLock($specs, $retryDelay, $retryCount);
    }

    private function assertNoKeysLeft(): void
    {
        Wait::until(fn (): bool => $this->servers->keyCount() === 0, 'the last key to vanish');
        self::assertSame(0, $this->servers->keyCount());
    }

    private static function lockOrNull(RedLock $redLock): array|false|null
    {
        try {
            return $redLock->lock('r', 60_000);
        } catch (QuorumException) {
            return null;
        }
    }

    public function testServersAreAskedSideBySide(): void
    {
        foreach ($this->proxies as $proxy) {
            $proxy->delay(150);
        }
        $redLock = $this->redLock(5.0);
        $redLock->unlock(self::held($redLock, 'r'));
        $took = self::secondsOf(static fn () => self::held($redLock, 'r'));
        self::assertGreaterThan(0.29, $took, 'one round trip');
        self::assertLessThan(0.85, $took, 'three round trips would be 0.9 s');
    }

    public function testUnlockAsksSideBySideToo(): void
    {
        $redLock = $this->redLock(5.0);
        $redLock->unlock(self::held($redLock, 'warm up'));
        $lock = self::held($redLock, 'r');
        foreach ($this->proxies as $proxy) {
            $proxy->delay(150);
        }
        $took = self::secondsOf(static fn () => self::assertTrue($redLock->unlock($lock)));
        self::assertGreaterThan(0.29, $took, 'one round trip');
        self::assertLessThan(0.85, $took, 'three round trips would be 0.9 s');
    }

    public function testAConnectionThatIsNeverEstablishedIsGivenUpInTime(): void
    {
        $context = stream_context_create(['socket' => ['backlog' => 0]]);
        $flags = STREAM_SERVER_BIND | STREAM_SERVER_LISTEN;
        $deaf = stream_socket_server('tcp://127.0.0.1:0', $errno, $error, $flags, $context);
        $name = (string) stream_socket_get_name($deaf, false);
        // Nobody accepts; with its queue full the kernel answers no further attempt to connect.
        $queued = [];
        do {
            $client = @stream_socket_client("tcp://$name", $errno, $error, 0.2);
            $queued[] = $client;
        } while ($client !== false);
        $redLock = new RedLock(["redis://$name?timeout=0.2"], 10, 2);
        $start = Wait::now();
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        self::assertLessThan(4.1, Wait::now() - $start, 'the budget is 0.41 s');
        self::assertStringContainsString($name, $thrown->getMessage());
        unset($queued, $deaf);
    }

    public function testTheThirdElementOfAListDoesNotCutAnswersShort(): void
    {
        foreach ($this->proxies as $proxy) {
            $proxy->delay(15);
        }
        // Well above the default, so that a busy machine does not decide.
        $redLock = new RedLock(self::lists($this->proxies, 0.01), 0, 1, ['timeout' => 5]);
        self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
        $pidLock = new \PidLock($this->proxies[0]->spec(0.01), ['timeout' => 5]);
        self::assertSame(1, $pidLock->getPidLock('p', 10));
    }

    public function testATimeoutUnderItsNameBoundsAnswersToo(): void
    {
        foreach ($this->proxies as $proxy) {
            $proxy->delay(200);
        }
        $named = static fn (FaultProxy $p): array => ['127.0.0.1', $p->port, 'timeout' => 0.02];
        $url = static fn (FaultProxy $p): string => "redis://127.0.0.1:$p->port?timeout=0.02";
        foreach ([$named, $url] as $form) {
            $redLock = new RedLock(array_map($form, $this->proxies), 0, 1, ['timeout' => 5]);
            $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
            self::assertStringContainsString('timed out after 20 ms', $thrown->getMessage());
        }
    }

    public function testAListWithMoreThanTheDefaultKeepsItsOwnTime(): void
    {
        foreach ($this->proxies as $proxy) {
            $proxy->delay(100);
        }
        $redLock = new RedLock(self::lists($this->proxies, 5.0), 0, 1, ['timeout' => 0.01]);
        self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
    }

    /**
     * @param list<FaultProxy> $proxies
     * @return list<array{string, int, float}>
     */
    private static function lists(array $proxies, float $third): array
    {
        return array_map(static fn (FaultProxy $p): array => $p->spec($third), $proxies);
    }

    public function testTheDelayIsTakenFromTheValidity(): void
    {
        foreach ($this->proxies as $proxy) {
            $proxy->delay(150);
        }
        self::assertLessThan(9898.0 - 299, self::held($this->redLock(5.0), 'r', 10_000)['validity']);
    }

    public function testALockThatArrivesTooLateIsNoLockAndIsUndone(): void
    {
        foreach ($this->proxies as $proxy) {
            $proxy->delay(150);
        }
        self::assertFalse($this->redLock(5.0)->lock('r', 250));
        foreach ($this->proxies as $proxy) {
            $proxy->pass();
        }
        $this->assertNoKeysLeft();
    }

    public function testSwallowedAnswersLeaveNoKeysBehind(): void
    {
        $this->proxies[0]->dropReplies();
        $this->proxies[1]->dropReplies();
        self::assertNull(self::lockOrNull($this->redLock(0.1, 3)));
        $this->assertNoKeysLeft();
    }

    public function testSwallowedRequestsLeaveNoKeysBehind(): void
    {
        $this->proxies[0]->dropRequests();
        $this->proxies[1]->dropRequests();
        self::assertNull(self::lockOrNull($this->redLock(0.1, 3)));
        $this->assertNoKeysLeft();
    }

    public function testRequestsThatArriveLongAfterTheCallAreFollowedByTheirUndo(): void
    {
        $this->proxies[0]->delay(400);
        $this->proxies[1]->delay(400);
        self::assertNull(self::lockOrNull($this->redLock(0.1)));
        $carriedOut = fn (): bool => $this->servers->servers[0]->calls('set') > 0
            && $this->servers->servers[1]->calls('set') > 0;
        Wait::until($carriedOut, 'the late requests to arrive');
        $this->assertNoKeysLeft();
    }

    public function testAHalfOpenConnectionIsGivenUpAndReplaced(): void
    {
        $redLock = $this->redLock(0.2, 3);
        $redLock->unlock(self::held($redLock, 'r'));
        $this->proxies[0]->halfOpen();
        $this->proxies[1]->halfOpen();
        self::assertNull(self::lockOrNull($redLock));
        $this->proxies[0]->pass();
        $this->proxies[1]->pass();
        $lock = Wait::until(static fn () => self::lockOrNull($redLock), 'a lock over new connections');
        self::assertTrue($redLock->unlock($lock));
        $this->assertNoKeysLeft();
    }

    public function testACutAtAnyByteOfTheAnswersIsSurvivedWithoutAWrongGrant(): void
    {
        $redLock = $this->redLock(0.2);
        foreach (range(1, 24) as $bytes) {
            $this->cutAndRecover($redLock, static fn (FaultProxy $p) => $p->cutRepliesAfter($bytes));
        }
        $this->assertNoKeysLeft();
    }

    public function testACutAtAnyByteOfTheRequestsIsSurvivedWithoutAWrongGrant(): void
    {
        $redLock = $this->redLock(0.2);
        foreach (range(1, 160, 7) as $bytes) {
            $this->cutAndRecover($redLock, static fn (FaultProxy $p) => $p->cutRequestsAfter($bytes));
        }
        Wait::until(fn (): bool => $this->servers->keyCount() === 0, 'the last key to vanish');
        self::assertSame(0, $this->servers->keyCount());
    }

    /** One turn while two of three connections are cut, and then turns until one succeeds. */
    private function cutAndRecover(RedLock $redLock, callable $cut): void
    {
        $cut($this->proxies[0]);
        $cut($this->proxies[1]);
        $lock = self::lockOrNull($redLock);
        if (is_array($lock)) {
            self::assertGreaterThanOrEqual(2, count(array_keys($this->servers->values('r'), $lock['token'])));
            $redLock->unlock($lock);
        }
        $this->proxies[0]->pass();
        $this->proxies[1]->pass();
        // What the cut connections may have left behind no client can undo; the operator of this test does.
        $this->servers->each(static fn ($c) => $c->call('FLUSHALL'));
        $lock = Wait::until(static fn () => self::lockOrNull($redLock), 'a lock after the cut');
        self::assertTrue($redLock->unlock($lock));
    }
}
