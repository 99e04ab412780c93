<?php

/**
 * Where in a C++ source there is code, as far as edits need it: brackets, the bodies of functions, where statements
 * begin and end. It goes by the shape that the formatter gives every source, and is no compiler: what it takes for
 * code by mistake does not compile when it is edited, and is dropped.
 */

declare(strict_types=1);

namespace RedLock\Mutants;

final class Code
{
    /** @var list<Token> */
    public readonly array $tokens;
    /** @var array<int, int> the other bracket of a pair, by the number of a token */
    public array $partner = [];
    /** @var array<int, int> the innermost bracket that is open before a token; -1 for none */
    public array $within = [];
    /** @var array<int, string> of what each brace opens: space, type, void, value, lambda, block or list */
    private array $braces = [];

    public function __construct(public readonly string $path, public readonly string $text)
    {
        $this->tokens = Token::all($text);
        $open = [];
        foreach ($this->tokens as $i => $token) {
            if ($token->is(')', ']', '}')) {
                $begin = array_pop($open) ?? throw new \RuntimeException("$path: a bracket too many");
                $this->partner[$begin] = $i;
                $this->partner[$i] = $begin;
            }
            $this->within[$i] = end($open) === false ? -1 : end($open);
            if ($token->is('(', '[', '{')) {
                $open[] = $i;
            }
        }
        if ($open !== []) {
            throw new \RuntimeException("$path: a bracket is not closed");
        }
        foreach ($this->tokens as $i => $token) {
            if ($token->is('{')) {
                $this->braces[$i] = $this->classify($i);
            }
        }
    }

    public function is(int $i, string ...$texts): bool
    {
        return isset($this->tokens[$i]) && $this->tokens[$i]->is(...$texts);
    }

    /** Whether a token is in the body of a function. */
    public function isCode(int $i): bool
    {
        return $this->bodyOf($i) !== null;
    }

    /** What the function or lambda around a token gives back: void, value or lambda; null outside of all. */
    public function bodyOf(int $i): ?string
    {
        for ($at = $this->within[$i]; $at >= 0; $at = $this->within[$at]) {
            if (in_array($this->braces[$at] ?? '', ['void', 'value', 'lambda'], true)) {
                return $this->braces[$at];
            }
        }
        return null;
    }

    /** Whether a token stands in a class or namespace itself, not in a function or an enumeration. */
    public function isDeclared(int $i): bool
    {
        for ($at = $this->within[$i]; $at >= 0; $at = $this->within[$at]) {
            if ($this->is($at, '(') || in_array($this->braces[$at] ?? '', ['void', 'value', 'lambda'], true)) {
                return false;
            }
            if (($this->braces[$at] ?? '') !== 'list') {
                return true;
            }
        }
        return true;
    }

    /** The number of the first token behind $i, in the same brackets, that is one of $texts; null where these end. */
    public function next(int $i, string ...$texts): ?int
    {
        for ($at = $i; isset($this->tokens[$at]); $at++) {
            if ($this->is($at, ...$texts)) {
                return $at;
            }
            if ($this->is($at, ')', ']', '}')) {
                return null;
            }
            if ($this->is($at, '(', '[', '{')) {
                $at = $this->partner[$at];
            }
        }
        return null;
    }

    /** The same towards the front, $i itself not looked at; the bracket that opens counts as found. */
    public function previous(int $i, string ...$texts): int
    {
        for ($at = $i - 1; $at >= 0; $at--) {
            if ($this->is($at, '(', '[', '{', ...$texts)) {
                return $at;
            }
            if ($this->is($at, ')', ']', '}')) {
                $at = $this->partner[$at];
            }
        }
        return -1;
    }

    /** Whether a statement of a function's body begins with this token. */
    public function beginsStatement(int $i): bool
    {
        $around = $this->within[$i];
        if ($around < 0 || !$this->isCode($i) || $this->is($i, '{', '}', ';', 'else', 'case', 'default', 'catch')) {
            return false;
        }
        if (!in_array($this->braces[$around] ?? '', ['void', 'value', 'lambda', 'block'], true)) {
            return false;
        }
        if ($this->is($i - 1, ';', '{', 'else', 'do')) {
            return true;
        }
        if ($this->is($i - 1, ':')) {
            return $this->is($this->previous($i - 1, ';', '}', '?', ':', 'case', 'default'), 'case')
                || $this->is($i - 2, 'default');
        }
        if ($this->is($i - 1, '}')) {
            return $this->braces[$this->partner[$i - 1]] === 'block';
        }
        if ($this->is($i - 1, ')')) {
            return $this->is($this->partner[$i - 1] - 1, 'if', 'for', 'while', 'switch', 'constexpr');
        }
        return false;
    }

    /** The text of a range of tokens, both ends included, its white space squeezed. */
    public function squeezed(int $from, int $to): string
    {
        return preg_replace('~\s+~', ' ', $this->between($from, $to));
    }

    public function between(int $from, int $to): string
    {
        $start = $this->tokens[$from]->start;
        return substr($this->text, $start, $this->tokens[$to]->end() - $start);
    }

    private function classify(int $brace): string
    {
        if ($this->is($brace - 1, ']')) {
            return 'lambda';
        }
        if ($this->is($brace - 1, ')', 'mutable', 'noexcept')) {
            $close = $this->is($brace - 1, ')') ? $brace - 1 : $brace - 2;
            if ($this->is($close, ')') && $this->is($this->partner[$close] - 1, ']')) {
                return 'lambda';
            }
        }
        if ($this->isCode($brace)) {
            $begins = $this->is($brace - 1, ')', '{', '}', ';', 'else', 'do', 'try', ':');
            return $begins && in_array($this->braces[$this->within[$brace]] ?? '', ['void', 'value', 'lambda', 'block'], true)
                && !$this->is($brace + 1, '}') ? 'block' : 'list';
        }
        return $this->classifyDeclared($brace);
    }

    /** What a brace outside of functions opens, by the declaration before it. */
    private function classifyDeclared(int $brace): string
    {
        $head = [];
        for ($at = $brace - 1; $at >= 0 && !$this->is($at, ';', '{', '('); $at--) {
            if ($this->is($at, '}') && !$this->is($at + 1, ',', '{')) {
                break;
            }
            $this->is($at, ':') && $this->is($at - 1, 'public', 'private', 'protected') and $at = -1;
            if ($at >= 0) {
                $head[] = $at;
                $this->is($at, ')', ']', '}') and $at = $this->partner[$at];
            }
        }
        $head = array_reverse($head);
        $words = array_map(fn(int $i): string => $this->tokens[$i]->text, $head);
        if (in_array('namespace', $words, true)) {
            return 'space';
        }
        $parameters = array_search(')', $words, true);
        if ($parameters === false) {
            return !in_array('enum', $words, true) && array_intersect(['class', 'struct', 'union'], $words) ? 'type' : 'list';
        }
        $initialised = array_search('=', $words, true);
        if ($initialised !== false && $words[$initialised - 1] !== 'operator') {
            return 'list';
        }
        // A member that a constructor initialises with braces.
        if (in_array(':', $words, true) && $this->tokens[$brace - 1]->kind === 'word') {
            return 'list';
        }
        return $this->givesNothing(array_slice($words, 0, $parameters)) ? 'void' : 'value';
    }

    /** @param list<string> $words a declaration up to its parameters */
    private function givesNothing(array $words): bool
    {
        $name = array_pop($words);
        if (in_array('void', $words, true) || in_array('~', $words, true)) {
            return true;
        }
        return array_diff($words, ['explicit', 'inline', 'constexpr', 'noexcept', '::', $name]) === [];
    }
}
