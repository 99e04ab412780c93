<?php

/** A server's silence leaves it open whether a majority holds a lock: nobody is told that it is free. */

declare(strict_types=1);

namespace RedLock\Tests\Lease;

use RedLock\Harness\Wait;
use RedLock\LockManager;
use RedLock\QuorumException;
use RedLock\Tests\Support\UndecidedTestCase;

/** @group real */
final class UndecidedTest extends UndecidedTestCase
{
    public function testOwnerNamesNobodyAndDoesNotCallItFree(): void
    {
        $this->servers->leaveUndecided('r');
        [$holds, , $silent] = array_map(static fn ($server): string => $server->name(), $this->servers->servers);
        $error = self::caught(QuorumException::class, fn () => $this->locks->owner('r'));
        self::assertSame(
            "RedLock\\LockManager::owner(): it is not known whether a majority of 3 servers holds 'r' (needs 2): "
            . "$holds: holds a token; $silent: no answer (timed out after 250 ms, its timeout)",
            $error->getMessage(),
        );
        self::assertSame([$silent => 'timeout'], $error->faults());
        $this->servers->servers[2]->cont();
        self::assertSame($this->lease->token, $this->lateOwner());
    }

    public function testServersThatHoldDifferentLocksAreToldApart(): void
    {
        $fleet = $this->fleet(4);
        $locks = new LockManager($fleet->specs(null, 2.0));
        foreach (['one', 'another', 'one'] as $i => $token) {
            $fleet->servers[$i]->client()->call('SET', 'r', $token, 'PX', 60_000);
        }
        $fleet->servers[3]->kill9();
        $message = self::caught(QuorumException::class, static fn () => $locks->owner('r'))->getMessage();
        self::assertSame(['holds a token', 'holds another token', 'holds a token', 'Connection refused'], self::said($message));
        $fleet->servers[0]->client()->call('PERSIST', 'r');
        $message = self::caught(QuorumException::class, static fn () => $locks->owner('r'))->getMessage();
        self::assertSame(['holds a key without an expiry, so it is no lock', 'holds a token', 'holds another token', 'Connection refused'], self::said($message));
    }

    /** @return list<string> what a message has behind each server */
    private static function said(string $message): array
    {
        preg_match_all('~127\.0\.0\.1:\d+: ([^;]+)~', $message, $said);
        return $said[1];
    }

    public function testInspectTellsWhetherItIsDecided(): void
    {
        self::assertTrue($this->locks->inspect('r')['decided']);
        self::assertTrue($this->locks->inspect('free')['decided']);
        $this->servers->leaveUndecided('r');
        $seen = $this->locks->inspect('r');
        self::assertSame([false, null], [$seen['decided'], $seen['token']]);
        self::assertTrue($this->locks->inspect('free')['decided'], 'whatever the third says');
        $this->servers->servers[1]->kill9();
        self::assertFalse($this->locks->inspect('free')['decided'], 'no majority can be asked');
    }

    public function testWhatMayBeHeldIsReleasedByForceOnAllServers(): void
    {
        $this->servers->leaveUndecided('r');
        self::assertTrue($this->locks->forceRelease('r'));
        self::assertSame([null, null], $this->servers->values('r', 2));
        self::assertNull($this->locks->owner('r'), 'the third alone is no majority');
        self::assertFalse($this->locks->forceRelease('r'));
        $next = $this->locks->acquire('r');
        self::assertNotNull($next);
        $this->servers->servers[2]->cont();
        Wait::until(fn (): bool => $this->servers->values('r')[2] !== $this->lease->token, 'the removal on the third');
    }

    public function testAForcedReleaseThatNoMajorityConfirmsIsNeitherTrueNorFalse(): void
    {
        $this->servers->leaveUndecided('r');
        $this->servers->servers[0]->client()->call('ACL', 'SETUSER', 'default', '-del');
        $error = self::caught(QuorumException::class, fn () => $this->locks->forceRelease('r'));
        self::assertStringStartsWith('RedLock\LockManager::forceRelease(): no majority of 3 servers could be asked', $error->getMessage());
        self::assertSame(['denied by ACL', 'timeout'], array_values($error->faults()));
    }

    public function testWhatNeverExpiresIsNotReleasedByForceNorCalledFree(): void
    {
        $this->servers->leaveUndecided('r');
        $this->servers->servers[0]->client()->call('PERSIST', 'r');
        $error = self::caught(QuorumException::class, fn () => $this->locks->forceRelease('r'));
        self::assertStringContainsString("not known whether a majority of 3 servers holds 'r'", $error->getMessage());
        self::assertSame($this->lease->token, $this->servers->values('r', 1)[0]);
    }

    /** Once the third server has woken. */
    private function lateOwner(): ?string
    {
        Wait::until(fn (): bool => $this->locks->inspect('r')['decided'], 'the third server');
        return $this->locks->owner('r');
    }
}
