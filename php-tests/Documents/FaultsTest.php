<?php

/** docs/operations.md: the words of faults() are those of the code, and the API page has the same. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use PHPUnit\Framework\TestCase;
use RedLock\Tests\Support\Document;

final class FaultsTest extends TestCase
{
    /** Not in a list of faults: no trouble at all, and what has an exception of its own. */
    private const NEVER = ['none', 'foreign'];

    public function testTheTableHasEveryWordOfTheCode(): void
    {
        $code = (string) file_get_contents(Document::root() . '/core/redlock/algorithm/reply.cpp');
        preg_match_all('~case Fault::\w+:\s+return "([^"]+)";~', $code, $words);
        $written = array_keys((new Document('docs/operations.md'))->table('The words of faults()'));
        self::assertNotSame([], $words[1]);
        self::assertSame(array_values(array_diff($words[1], self::NEVER)), $written);
    }

    public function testTheApiPageHasTheSameWords(): void
    {
        $section = (new Document('docs/api.md'))->section('RedLock\\ConnectionException::faults()');
        preg_match_all("~^- '([^']+)':~m", $section, $words);
        self::assertSame(array_keys((new Document('docs/operations.md'))->table('The words of faults()')), $words[1]);
    }
}
