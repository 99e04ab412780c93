<?php

/** The stubs name the options that the extension takes, and the program that PHPStan judges uses everything they have. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use PHPUnit\Framework\TestCase;
use RedLock\LockManager;
use RedLock\Tests\Support\Document;

final class TypesTest extends TestCase
{
    private static function text(string $path): string
    {
        return (string) file_get_contents(Document::root() . "/$path");
    }

    /** @return list<string> the keys of the first array shape behind a text of the stubs */
    private static function shape(string $stub, string $before): array
    {
        $pattern = '~' . preg_quote($before) . ' array\{((?:[^{}]|\{[^}]*\})*)\}~';
        self::assertSame(1, preg_match($pattern, self::text("stubs/$stub"), $found), $before);
        preg_match_all('~(\w+)\?: ~', $found[1], $keys);
        sort($keys[1]);
        return $keys[1];
    }

    /** @return list<string> which of the words in the sources a call takes as the name of an option */
    private static function taken(callable $call): array
    {
        $words = '';
        foreach (glob(Document::root() . '/ext/*/*.cpp') ?: [] as $source) {
            $words .= file_get_contents($source);
        }
        preg_match_all('~"([a-z]\w+)"~', $words, $names);
        $taken = array_filter(array_unique($names[1]), static function (string $name) use ($call): bool {
            try {
                $call([$name => new \stdClass()]);
            } catch (\ValueError $error) {
                return !preg_match('~unknown option|is an option of acquire~', $error->getMessage());
            } catch (\TypeError) {
                return true;
            }
            self::fail("$name may be anything");
        });
        sort($taken);
        return $taken;
    }

    public static function calls(): iterable
    {
        $locks = new LockManager('127.0.0.1:1');
        $handle = ['validity' => 1, 'resource' => 'r', 'token' => str_repeat('0', 40)];
        yield 'LockManager' => ['lock_manager.php', ' * @param', static fn (array $options) => new LockManager('h', $options)];
        yield 'acquire' => ['lock_manager.php', 'LeaseOptions', static fn (array $o) => $locks->acquire('r', 1000, 0, $o)];
        yield 'synchronized' => ['lock_manager.php', 'LeaseOptions', static fn (array $o) => $locks->synchronized('r', time(...), 1000, 0, $o)];
        yield 'attach' => ['lock_manager.php', "gave\n     * @param", static fn (array $o) => $locks->attach($handle, $o)];
        yield 'RedLock' => ['redlock.php', "counts as 1\n         * @param", static fn (array $o) => new \RedLock(['h'], 1, 1, $o)];
        yield 'PidLock' => ['redlock.php', "as for RedLock\n         * @param", static fn (array $o) => new \PidLock('h', $o)];
    }

    /** @dataProvider calls */
    public function testTheStubsNameEveryOption(string $stub, string $before, callable $call): void
    {
        self::assertSame(self::taken($call), self::shape($stub, $before));
        // The program has it as a key, so that PHPStan has judged the type of its value.
        foreach (self::shape($stub, $before) as $option) {
            self::assertStringContainsString("'$option' =>", self::text('tests/types/everything.php'));
        }
    }

    public function testTheProgramCallsEveryPublicMethodAndKnowsEveryException(): void
    {
        $stubs = self::text('stubs/redlock.php') . self::text('stubs/lease.php') . self::text('stubs/lock_manager.php') . self::text('stubs/testing.php');
        $program = self::text('tests/types/everything.php');
        preg_match_all('~public (?:static )?function (?!__)(\w+)\(~', $stubs, $methods);
        self::assertGreaterThan(20, count($methods[1]));
        foreach ($methods[1] as $method) {
            self::assertMatchesRegularExpression("~(->|::)$method\(~", $program);
        }
        preg_match_all('~class (\w+Exception) ~', $stubs, $exceptions);
        self::assertGreaterThan(5, count($exceptions[1]));
        foreach ($exceptions[1] as $exception) {
            self::assertMatchesRegularExpression("~[(|]$exception\\b~", $program);
        }
    }
}
