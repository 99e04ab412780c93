<?php

/** What the main programs have in common: what they need, and that a signal leaves nothing running. */

declare(strict_types=1);

namespace RedLock\Harness;

final class Program
{
    /**
     * Ends here where an extension is missing; from now on a signal ends what was started, and then the program.
     *
     * @param string $advice how it is started well
     * @param list<string> $extensions
     * @param ?callable(): void $first what a signal has to see to before all else
     */
    public static function begin(string $name, string $advice, array $extensions, ?callable $first = null): void
    {
        foreach ($extensions as $extension) {
            if (!extension_loaded($extension)) {
                fwrite(STDERR, "$name: the extension $extension is not loaded; $advice\n");
                exit(1);
            }
        }
        pcntl_async_signals(true);
        foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
            pcntl_signal($signal, static function (int $signal) use ($name, $first): never {
                // A second Ctrl-C must not get in the way of cleaning up.
                pcntl_signal(SIGINT, SIG_IGN);
                if ($first !== null) {
                    $first();
                }
                ChildProcess::endAll();
                fwrite(STDERR, "$name: interrupted; everything that was started has been ended\n");
                exit(128 + $signal);
            });
        }
    }
}
