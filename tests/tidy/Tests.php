<?php

/** What newer PHPs and PHPUnits want of the PHP tests, which this machine's may let pass. */

declare(strict_types=1);

namespace RedLock\Tidy;

final class Tests
{
    /** A statement that is just that call: from PHP 8.5 on a dropped lease is warned of, and a warning fails the test. */
    private const DROPPED = '~(?:^|[;{\'"]) *(?:\$\w+|\(new [^;]*\)|self::\w+\([^()]*\))->acquire\((?:[^()]|\([^()]*\))*\);~m';
    /** It is about leases that are dropped. */
    private const ABOUT_THEM = 'php-tests/Lease/UnusedTest.php';

    public static function check(Files $files, Report $report): void
    {
        $providers = $acquires = 0;
        $bound = $dropped = [];
        foreach ($files->matching('~^(?:php-tests|harness)/.*\.php$|^tests/phpt/.*\.phpt$~') as $path) {
            $text = $files->text($path);
            preg_match_all('~@dataProvider (\w+)~', $text, $named);
            foreach (array_unique($named[1]) as $provider) {
                $providers++;
                if (preg_match("~^    public function $provider\(~m", $text) === 1) {
                    $bound[] = "$path: the data provider $provider() is not static, which PHPUnit 10 asks for";
                }
            }
            $acquires += substr_count($text, '->acquire(');
            $found = preg_match(self::DROPPED, $text, $call);
            if ($path !== self::ABOUT_THEM && $found === 1) {
                $dropped[] = "$path drops a lease, which PHP 8.5 warns of: " . trim($call[0]);
            }
        }
        $report->rule('data providers are static', $providers, $bound);
        $report->rule('no test drops a lease, but those that are about it', $acquires, $dropped);
    }
}
