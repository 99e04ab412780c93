<?php

/** Peers that are no Redis: a typed error in time, the process alive, and its memory as before. */

declare(strict_types=1);

namespace RedLock\Tests\RedLock;

use RedLock;
use RedLock\Harness\PhpProcess;
use RedLock\Harness\Wait;
use RedLock\QuorumException;
use RedLock\Tests\Support\ServerTestCase;

final class HostileServerTest extends ServerTestCase
{
    /** @return iterable<string, array{string}> */
    public static function manners(): iterable
    {
        $manners = [
            'html', 'huge bulk', 'absurd bulk', 'negative bulk', 'nested arrays', 'wide array', 'endless status',
            'endless error', 'drip', 'silence', 'hang up', 'wrong types', 'huge integer', 'binary noise',
        ];
        foreach ($manners as $manner) {
            yield $manner => [$manner];
        }
    }

    /** @dataProvider manners */
    public function testItIsAQuorumExceptionThatNamesTheServerInTime(string $manner): void
    {
        $hostile = $this->hostile($manner);
        $redLock = new RedLock([$hostile->spec(0.2)], 10, 3);
        $start = Wait::now();
        $thrown = self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        self::assertLessThan(6.5, Wait::now() - $start, 'the budget is 0.62 s');
        self::assertStringContainsString($hostile->name(), $thrown->getMessage());
        self::assertLessThan(2000, strlen($thrown->getMessage()), 'a message is for people');
        self::assertSame([$hostile->name()], array_keys($redLock->lastErrors()));
    }

    /** @dataProvider manners */
    public function testUnlockIsFalseAndExtendAndIsHeldGiveNothingAway(string $manner): void
    {
        $redLock = new RedLock([$this->hostile($manner)->spec(0.2)], 0, 1);
        $lock = ['resource' => 'r', 'token' => 't'];
        self::assertFalse($redLock->unlock($lock));
        self::caught(QuorumException::class, static fn () => $redLock->isHeld($lock));
        self::caught(QuorumException::class, static fn () => $redLock->extend($lock, 1000));
    }

    /**
     * @dataProvider manners
     * @group real
     */
    public function testOneHostileServerOfThreeDoesNoHarm(string $manner): void
    {
        $fleet = $this->fleet(2);
        $redLock = new RedLock([...$fleet->specs(), $this->hostile($manner)->spec(0.5)], 0, 1);
        for ($i = 0; $i < 10; ++$i) {
            self::assertTrue($redLock->unlock(self::held($redLock, 'r')));
        }
        Wait::until(static fn (): bool => $fleet->keyCount() === 0, 'the keys to be deleted');
    }

    public function testANilForASetIsADenialAndNotALock(): void
    {
        $redLock = new RedLock([$this->hostile('nil')->spec()], 0, 1);
        self::assertFalse($redLock->lock('r', 1000));
    }

    /** @dataProvider hungryManners */
    public function testMemoryStaysBounded(string $manner): void
    {
        $code = '
            $peak = fn () => (int) preg_replace("/.*VmHWM:\s*(\d+).*/s", "$1", file_get_contents("/proc/self/status"));
            $before = $peak();
            for ($i = 0; $i < 5; ++$i) {
                try { (new RedLock([$args["spec"]], 0, 1))->lock("r", 1000); } catch (RedLock\QuorumException) {}
            }
            report($peak() - $before);
        ';
        $grownKib = PhpProcess::run($code, ['spec' => $this->hostile($manner)->spec(0.2)]);
        self::assertLessThan(20_000, $grownKib);
    }

    /** @return iterable<string, array{string}> */
    public static function hungryManners(): iterable
    {
        foreach (['huge bulk', 'nested arrays', 'wide array', 'endless status', 'endless error'] as $manner) {
            yield $manner => [$manner];
        }
    }

    public function testAnAnswerThatWasNotAskedForIsNeverTakenForALaterOne(): void
    {
        $hostile = $this->hostile('extra replies');
        $redLock = new RedLock([$hostile->spec(0.2)], 0, 1);
        $lock = ['resource' => 'r', 'token' => 't'];
        for ($i = 0; $i < 5; ++$i) {
            try {
                $redLock->lock('r', 60_000);
            } catch (QuorumException) {
            }
            self::assertFalse($redLock->unlock($lock), 'the server never answers an unlock');
        }
    }

    public function testOneBytePer80MillisecondsIsGivenUpInTime(): void
    {
        $server = $this->server();
        $proxy = $this->proxy($server);
        $proxy->dripReplies(80);
        $redLock = new RedLock([$proxy->spec(0.2)], 10, 3);
        $start = Wait::now();
        self::caught(QuorumException::class, static fn () => $redLock->lock('r', 60_000));
        self::assertLessThan(6.5, Wait::now() - $start, 'the budget is 0.62 s');
        Wait::until(static fn () => $server->client()->call('DBSIZE') === 0, 'the lost attempts to be undone');
    }
}
