<?php

/**
 * Runs a few lines of PHP in a process of its own, with the extension that we are running with.
 *
 * The code finds its arguments in $args and answers with report().
 */

declare(strict_types=1);

namespace RedLock\Harness;

final class PhpProcess
{
    /**
     * @param array<mixed> $args anything that JSON can carry
     * @param array<string, string|int> $settings for php.ini
     */
    public static function start(string $code, array $args = [], array $settings = []): ChildProcess
    {
        $prelude = 'require ' . var_export(__DIR__ . '/autoload.php', true) . ';'
            . '$args = json_decode($argv[1], true, 32, JSON_THROW_ON_ERROR);'
            . 'function report(mixed $value): void { echo json_encode($value, JSON_PRESERVE_ZERO_FRACTION), "\n"; }';
        $json = json_encode($args, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
        return new ChildProcess([...self::command($settings), '-r', "$prelude\n$code", '--', $json]);
    }

    /** Runs it to its end and gives what it reported. */
    public static function run(string $code, array $args = [], array $settings = []): mixed
    {
        $process = self::start($code, $args, $settings);
        $report = self::report($process);
        $process->wait();
        return $report;
    }

    /** The next thing that a process reports. */
    public static function report(ChildProcess $process): mixed
    {
        $line = $process->readLine();
        try {
            return json_decode($line, true, 32, JSON_THROW_ON_ERROR);
        } catch (\JsonException) {
            while (($more = $process->pollLine()) !== null) {
                $line .= "\n$more";
            }
            throw new \RuntimeException("a PHP process said: $line");
        }
    }

    /**
     * @param array<string, string|int> $settings for php.ini; 'extension' for another build than ours
     * @return list<string> php with the extension
     */
    public static function command(array $settings = []): array
    {
        $command = [PHP_BINARY];
        $settings += ['display_errors' => '1', 'html_errors' => '0', 'error_reporting' => '-1'];
        $path = self::extensionPath();
        if ($path !== null) {
            $settings += ['extension' => $path];
        }
        foreach ($settings as $name => $value) {
            array_push($command, '-d', "$name=$value");
        }
        return $command;
    }

    /**
     * From where the extension was loaded into this process; null where php.ini does it or the system cannot say. Whoever
     * builds meanwhile puts another file there, and ours counts as deleted.
     */
    private static function extensionPath(): ?string
    {
        $maps = (string) @file_get_contents('/proc/self/maps');
        return preg_match('#\s(/\S*/redlock\.so)(?: \(deleted\))?$#m', $maps, $match) ? $match[1] : null;
    }
}
