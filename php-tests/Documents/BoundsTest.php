<?php

/** docs/operations.md: the bounds that a user meets are those of the code, and beyond them comes what the table says. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use PHPUnit\Framework\TestCase;
use PidLock;
use RedLock;
use RedLock\Tests\Support\Constants;
use RedLock\Tests\Support\Document;

final class BoundsTest extends TestCase
{
    private const YEAR_MS = 365 * 24 * 3600 * 1000;

    public function testEveryRowIsTested(): void
    {
        $tested = [...array_keys(self::arguments(1)), ...array_keys(self::constants())];
        $rows = array_keys(self::table());
        sort($tested);
        sort($rows);
        self::assertSame($tested, $rows);
    }

    /** @dataProvider argumentRows */
    public function testTheLargestArgumentIsTakenAndTheNextRefused(string $row): void
    {
        [$most, $beyond] = self::table()[$row];
        self::assertSame('ValueError', $beyond);
        $most = self::number($most);
        self::assertNull(self::complaint(self::arguments($most)[$row]), "$most was refused");
        self::assertNotNull(self::complaint(self::arguments($most + 1)[$row]), "one more than $most was taken");
    }

    /** @return iterable<string, array{string}> */
    public static function argumentRows(): iterable
    {
        foreach (array_keys(self::arguments(1)) as $row) {
            yield $row => [$row];
        }
    }

    /** @dataProvider constantRows */
    public function testTheRowHasTheNumbersOfTheCode(string $row): void
    {
        preg_match_all('~\d+(?: MiB)?~', self::table()[$row][0], $written);
        self::assertSame(self::constants()[$row], array_map(self::number(...), $written[0]));
    }

    /** @return iterable<string, array{string}> */
    public static function constantRows(): iterable
    {
        foreach (array_keys(self::constants()) as $row) {
            yield $row => [$row];
        }
    }

    public function testTheTimesOfHostNamesAreThoseOfTheCode(): void
    {
        $section = (new Document('docs/operations.md'))->section('Host names');
        $core = new Constants('core/redlock');
        self::assertSame(1, preg_match('~used for (\d+) seconds~', $section, $used));
        self::assertSame($core->value('kResolvedFor'), (int) $used[1] * 1000);
        self::assertSame(1, preg_match('~at most (\d+) ms~', $section, $share));
        self::assertSame($core->value('kAddressShareMax'), (int) $share[1]);
    }

    /** @return array<string, list<string>> */
    private static function table(): array
    {
        return (new Document('docs/operations.md'))->table('Bounds');
    }

    /** What the table's words mean: a count, bytes, or milliseconds. */
    private static function number(string $words): int
    {
        preg_match('~^(\d+)(?: (years|hour|MiB))?~', $words, $match);
        return (int) $match[1] * match ($match[2] ?? '') {
            'years' => self::YEAR_MS,
            'hour' => 3600 * 1000,
            'MiB' => 1024 * 1024,
            default => 1,
        };
    }

    /**
     * Uses one argument at a size.
     *
     * @return array<string, callable>
     */
    private static function arguments(int $size): array
    {
        // Nothing listens there: what is wrong with an argument is said before anybody is asked.
        $nobody = ['host' => '127.0.0.1', 'port' => 1, 'timeout' => 0.01];
        $redLock = static fn (): RedLock => new RedLock([$nobody], 0, 1);
        $pidLock = static fn (): PidLock => new PidLock($nobody);
        $long = static fn (): string => str_repeat('x', $size);
        $one = static fn (array $more): RedLock => new RedLock([$more + $nobody]);
        return [
            'servers' => static fn () => new RedLock(
                array_map(static fn (int $port): array => ['127.0.0.1', $port], range(1, $size)),
            ),
            'resource' => static fn () => $redLock()->lock($long(), 1000),
            'resources at once' => static fn () => (new RedLock\LockManager([$nobody]))->acquireAll(range(1, $size)),
            'token' => static fn () => $redLock()->unlock(['resource' => 'r', 'token' => $long()]),
            'ttl' => static fn () => $redLock()->lock('r', $size),
            'lock_timeout + buffer_time' => static fn () => $pidLock()->getPidLock('r', $size / 1000 - 1, 0, 0, 1),
            'timeout, connectTimeout' => static fn () => [$one(['timeout' => $size / 1000]), $one(['connectTimeout' => $size / 1000])],
            'retryDelay' => static fn () => new RedLock([$nobody], $size),
            'sleep_time' => static fn () => $pidLock()->getPidLock('r', 1, $size / 1000),
            'host name' => static fn () => $one(['host' => $long()]),
            'path of a Unix socket' => static fn () => new RedLock(['unix:///' . substr($long(), 1)]),
            'user, password' => static fn () => $one(['auth' => [$long(), $long()]]),
            'clientName' => static fn () => new RedLock([$nobody], 0, 1, ['clientName' => $long()]),
            'database' => static fn () => $one(['database' => $size]),
            'owner of a lease' => static fn () => (new RedLock\LockManager([$nobody]))->acquire('r', options: ['owner' => $long()]),
        ];
    }

    private static function complaint(callable $use): ?string
    {
        try {
            $use();
        } catch (\ValueError $error) {
            return $error->getMessage();
        } catch (RedLock\Exception) {
        }
        return null;
    }

    /** Rows that no argument reaches, with the numbers that they must have. @return array<string, list<int>> */
    private static function constants(): array
    {
        $core = new Constants('core/redlock');
        return [
            'reply' => [$core->value('kReplyBytesMax'), $core->value('kReplyNestingMax'), $core->value('kReplyElementsMax')],
            'unanswered requests on a connection' => [$core->value('kAwaitedBesidesRemovalsMax'), $core->value('kAwaitedMax')],
            'keys and tokens waiting to be sent on a connection' => [$core->value('kQueuedBytesMax')],
            'deletions kept for an unreachable server' => [$core->value('kCarriedMax')],
            'deletions kept for a server with a passing error, such as LOADING or BUSY' =>
                [$core->value('kCarriedMax'), intdiv($core->value('kOwedFor'), 1000)],
            'open connections of a thread' => [$core->value('kConnectionsMax')],
            'silence of a waiter' => [intdiv($core->value('kUnheardMax'), 1000), intdiv($core->value('kHeartbeat'), 1000)],
            // The first pause is drawn between half of kBackoffFirst and all of it.
            'pause after trouble with a server' => [intdiv($core->value('kBackoffFirst'), 2), $core->value('kBackoffMax')],
        ];
    }
}
