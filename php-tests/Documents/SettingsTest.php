<?php

/** docs/operations.md: the INI settings are those that there are, with the defaults that they have. */

declare(strict_types=1);

namespace RedLock\Tests\Documents;

use PHPUnit\Framework\TestCase;
use RedLock\Tests\Support\Document;

final class SettingsTest extends TestCase
{
    public function testTheTableHasEverySettingWithItsDefault(): void
    {
        $written = array_map(
            static fn (array $cells): string => $cells[0],
            (new Document('docs/operations.md'))->table('INI settings'),
        );
        $actual = array_map(static fn (array $setting): string => $setting['global_value'], ini_get_all('redlock'));
        ksort($written);
        ksort($actual);
        self::assertSame($actual, $written);
    }
}
