<?php

/** redlock in a real terminal: top draws and leaves it as it was, and a command that is run has it. */

declare(strict_types=1);

namespace RedLock\Tests\Cli;

use RedLock\Harness\TempFolder;
use RedLock\Harness\Wait;
use RedLock\Tests\Support\CliTestCase;

final class TerminalTest extends CliTestCase
{
    private string $socket;

    protected function setUp(): void
    {
        parent::setUp();
        $this->socket = TempFolder::make() . '/tmux';
        $shell = 'env ENV= PS1=prompt: REDLOCK_SERVERS=' . self::servers() . ' bash --norc --noprofile';
        $this->tmux('-f', '/dev/null', 'new-session', '-d', '-x', '100', '-y', '12', $shell);
        $this->awaitScreen('~prompt:~');
    }

    protected function tearDown(): void
    {
        $this->tmux('kill-server');
        parent::tearDown();
    }

    public function testTopDrawsLocksAgainAndAgainUntilAKeyEndsIt(): void
    {
        $this->type(self::program() . ' top a b --timeout 2s --interval 100ms; echo "status $?"');
        $this->awaitScreen('~^RESOURCE +HOLDER.*\na +\(free\).*\nb +\(free\)~');
        self::steal('b');
        $this->awaitScreen('~^b +a thief +\S+ \S+.* +0 ~m');
        $this->awaitScreen('~^b .* 0\.[1-9]$~m');
        $this->awaitScreen('~every 100 ms; q leaves~');
        $this->key('q');
        $screen = $this->awaitScreen('~^status 0$~m');
        // The terminal's own screen is back, and so is its echo.
        self::assertStringNotContainsString('RESOURCE', $screen);
        $this->type('echo again');
        $this->awaitScreen('~prompt:echo again\nagain~');
    }

    public function testCtrlCLeavesTopToo(): void
    {
        $this->type(self::program() . ' top a --timeout 2s; echo "status $?"');
        $this->awaitScreen('~^a +\(free\)~m');
        $this->key('C-c');
        $this->awaitScreen('~^status 0$~m');
    }

    public function testTopCanBeLeftWhereALookTakesLongerThanUntilTheNextOne(): void
    {
        $this->type(self::program() . ' top --timeout 2s --interval 100ms {1..1000}; echo "status $?"');
        $this->awaitScreen('~^7 +\(free\)~m');
        $this->key('q');
        $this->awaitScreen('~^status 0$~m');
    }

    public function testTopCanBeStoppedAndGoesOn(): void
    {
        $this->type(self::program() . ' top a --timeout 2s');
        $this->awaitScreen('~^a +\(free\)~m');
        $this->key('C-z');
        $this->awaitScreen('~Stopped~');
        $this->type('fg');
        $this->awaitScreen('~^RESOURCE.*\na +\(free\)~m');
        $this->key('q');
        $this->awaitScreen('~prompt:$~');
    }

    public function testTopIsCutToTheSizeOfTheTerminal(): void
    {
        $this->type(self::program() . ' top --timeout 2s --interval 100ms ' . implode(' ', range(1, 30)));
        $screen = $this->awaitScreen('~^RESOURCE.*q leaves~s');
        self::assertStringContainsString("\n10 ", $screen);
        self::assertStringNotContainsString("\n11 ", $screen);
        $this->key('q');
    }

    public function testACommandThatIsRunHasTheTerminalItsSignalsAndItsStops(): void
    {
        $this->hold(self::program() . ' run r --timeout 2s -- cat');
        $this->assertIsEchoed('hello');
        $this->key('C-z');
        $this->awaitScreen('~Stopped~');
        $this->type('fg');
        $this->awaitScreen('~prompt:fg\n.*run r~');
        $this->assertIsEchoed('there');
        $this->key('C-c');
        $this->awaitScreen('~\^C\n?prompt:$~');
        self::assertReleased();
        $this->type('echo "status $?"');
        $this->awaitScreen('~^status 130$~m');
    }

    public function testCtrlCEndsAScriptAlongWithTheCommandThatItRuns(): void
    {
        $this->hold('sh -c "' . self::program() . ' run r --timeout 2s -- cat; echo the script goes on"');
        $this->assertIsEchoed('hello');
        $this->key('C-c');
        $screen = $this->awaitScreen('~\^C\n?prompt:$~');
        self::assertStringNotContainsString("\nthe script goes on", $screen);
        self::assertReleased();
    }

    public function testCtrlZStopsAScriptAlongWithTheCommandThatItRuns(): void
    {
        $this->hold('sh -c "' . self::program() . ' run r --timeout 2s -- cat; echo the script goes on"');
        $this->assertIsEchoed('hello');
        $this->key('C-z');
        $this->awaitScreen('~Stopped~');
        $this->type('fg');
        $this->assertIsEchoed('there');
        $this->key('C-d');
        $this->awaitScreen('~^the script goes on\nprompt:$~m');
        self::assertReleased();
    }

    /** @dataProvider waysToAsk */
    public function testACommandOfAPipelineGetsTheTerminalWhenItAsksForIt(string $command, string $stdin): void
    {
        $this->hold(self::program() . " run r --timeout 2s -- sh -c '$command; echo got \$x' $stdin| cat");
        $this->type('hello');
        $this->awaitScreen('~^got hello$~m');
        $this->awaitScreen('~prompt:$~');
        self::assertReleased();
        $this->type('echo again');
        $this->awaitScreen('~^again$~m');
    }

    /** @return array<string, array{string, string}> */
    public static function waysToAsk(): array
    {
        return ['by standard input' => ['read x', ''], 'by its name' => ['read x </dev/tty', '</dev/null ']];
    }

    public function testAPipelineWhoseCommandHasTheTerminalIsStoppedAndEndedAsAWhole(): void
    {
        $this->hold(self::program() . ' run r --timeout 2s -- cat | cat');
        $this->assertIsEchoed('hello');
        $this->key('C-z');
        $this->awaitScreen('~Stopped~');
        $this->type('fg');
        $this->assertIsEchoed('there');
        $this->key('C-c');
        $this->awaitScreen('~\^C\n?prompt:$~');
        self::assertReleased();
    }

    private function tmux(string ...$arguments): string
    {
        $command = implode(' ', array_map(escapeshellarg(...), ['tmux', '-S', $this->socket, ...$arguments]));
        exec("$command 2>&1", $said);
        return implode("\n", $said);
    }

    private function type(string $line): void
    {
        $this->tmux('send-keys', '-l', $line);
        $this->key('Enter');
    }

    /** What takes the lock 'r'. */
    private function hold(string $line): void
    {
        $this->type($line);
        $this->await(static fn (): bool => self::holder() !== null, 'the lock to be taken');
    }

    /** By the cat that has the terminal. */
    private function assertIsEchoed(string $word): void
    {
        $this->type($word);
        $this->awaitScreen("~^$word\n$word\$~m");
    }

    private function key(string $key): void
    {
        $this->tmux('send-keys', $key);
    }

    private function awaitScreen(string $pattern): string
    {
        $screen = '';
        $this->await(function () use ($pattern, &$screen): bool {
            $screen = $this->screen();
            return preg_match($pattern, $screen) === 1;
        }, "the screen to show $pattern");
        self::assertMatchesRegularExpression($pattern, $screen);
        return $screen;
    }

    /** @param \Closure(): bool $condition */
    private function await(\Closure $condition, string $what): void
    {
        try {
            Wait::until($condition, $what);
        } catch (\RuntimeException $vain) {
            self::fail($vain->getMessage() . "; the screen shows\n" . $this->screen());
        }
    }

    private function screen(): string
    {
        return rtrim($this->tmux('capture-pane', '-p'));
    }
}
