<?php

/** docs/operations.md: the forms of a server are taken, and the fields that it calls ignored are those that are. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use RedLock;
use RedLock\Tests\Support\Document;
use RedLock\Tests\Support\ServerTestCase;

final class ServerFormsTest extends ServerTestCase
{
    private static function written(): string
    {
        return (new Document('docs/operations.md'))->section('How a server is named');
    }

    /** @return list<string> what stands in backquotes in the first text that matches */
    private static function words(string $pattern): array
    {
        self::assertSame(1, preg_match($pattern, self::written(), $found), $pattern);
        preg_match_all('~`(\w+)`~', $found[1], $words);
        return $words[1];
    }

    public function testEveryTextOfTheTableIsTaken(): void
    {
        $texts = [];
        foreach (['host', 'path of a Unix socket', 'URL', 'URL with TLS', 'Symfony\'s short form'] as $form) {
            self::assertSame(1, preg_match('~^\| ' . preg_quote($form) . ' \| (.*) \|$~m', self::written(), $row));
            preg_match_all('~`([^`]+)`~', $row[1], $found);
            $texts = [...$texts, ...array_filter($found[1], static fn (string $text): bool => !str_ends_with($text, '://'))];
        }
        self::assertGreaterThan(9, count($texts));
        foreach ($texts as $text) {
            // The document says what stands in the place of the port and of the database.
            new RedLock([strtr($text, [':port/database' => ':6379/1'])]);
        }
    }

    public function testTheIgnoredFieldsAreThoseOfTheSource(): void
    {
        $names = self::words('~\*\*Ignored\*\*(.*?)\. For a name~s');
        $source = (string) file_get_contents(Document::root() . '/core/redlock/config/field_names.cpp');
        self::assertSame(1, preg_match('~ kIdle\{(.*?)\};~s', $source, $found));
        preg_match_all('~"(\w+)"~', $found[1], $known);
        sort($known[1]);
        self::assertSame($known[1], $names);
        foreach ($names as $name) {
            new RedLock([['host' => 'h', $name => new \stdClass()]]);
            new RedLock(["redis://h?$name=whatever"]);
        }
    }

    public function testEveryFieldOfSeveralServersIsRefusedUnlessItIsOff(): void
    {
        $names = self::words('~^\| several hosts; (.*?), unless they are off~m');
        self::assertGreaterThan(8, count($names));
        foreach ($names as $name) {
            foreach ([null, false, 0, '0', '', 'false', []] as $off) {
                new RedLock([['host' => 'h', $name => $off]]);
            }
            $error = self::caught(\ValueError::class, static fn () => new RedLock([['host' => 'h', $name => 'x']]));
            self::assertStringContainsString("$name is for a cluster or Sentinel", $error->getMessage());
        }
    }

    public function testEveryOptionOfTlsIsTaken(): void
    {
        $section = (new Document('docs/operations.md'))->section('TLS');
        preg_match_all('~^\| (`.*?`) \|~m', $section, $rows);
        preg_match_all('~`(\w+)`~', implode($rows[1]), $options);
        self::assertGreaterThan(14, count($options[1]));
        foreach ($options[1] as $option) {
            new RedLock([['host' => 'h', 'tls' => [$option => null]]]);
        }
    }
}
