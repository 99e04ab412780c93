<?php

/** Every edit that a source offers, kind by kind. */

declare(strict_types=1);

namespace RedLock\Mutants;

final class Kinds
{
    public const ALL = ['negated', 'weakened', 'removed', 'boundary', 'constant', 'exchanged', 'returned', 'forgotten'];

    private const BOUNDARIES = ['<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>'];
    /** What is the same whichever of its arguments comes first. */
    private const SYMMETRIC = ['min', 'max', 'swap', 'minmax'];
    private const DECLARES = [
        'auto', 'break', 'class', 'const', 'constexpr', 'do', 'enum', 'for', 'if', 'return', 'static', 'static_assert',
        'struct', 'switch', 'try', 'typedef', 'using', 'while',
    ];
    private const RESETS = '~(\.|->)(reset|clear|start_over|forget\w*)\(\);$| = (0|false|nullptr|\{\}|(std::)?nullopt|\w+\(\));$~';
    /** A type and a name: what comes after would not compile without. */
    private const DECLARATION = '~^(?!throw |delete )[\w:]+(<.*>)?[&*]* [&*]?\w+( = |;|\(|\{|\[)~';
    /** An edit is to be taken in at a glance. */
    private const LINES_MAX = 4;

    /** @var list<Edit> */
    private array $edits = [];

    private function __construct(private readonly Code $code)
    {
    }

    /** @return list<Edit> in the order of the source, for each kind */
    public static function offeredBy(Code $code): array
    {
        $kinds = new self($code);
        foreach ($code->tokens as $i => $token) {
            if ($code->isCode($i)) {
                $kinds->conditions($i);
                $kinds->comparisons($i);
                $kinds->statements($i);
                $kinds->arguments($i);
            }
            if ($code->isCode($i) || ($code->isDeclared($i) && $kinds->isGiven($i))) {
                $kinds->constants($i);
            }
        }
        return $kinds->edits;
    }

    private function replace(string $kind, int $from, int $to, string $replacement): void
    {
        $tokens = $this->code->tokens;
        $edit = Edit::of($kind, $this->code, $tokens[$from]->start, $tokens[$to]->end(), $replacement);
        $isShort = substr_count($edit->before, "\n") < self::LINES_MAX;
        if ($isShort && Edit::squeeze($edit->before) !== Edit::squeeze($edit->after)) {
            $this->edits[] = $edit;
        }
    }

    /** The condition of if, while, for and ?: becomes its opposite, or is always or never met. */
    private function conditions(int $i): void
    {
        $code = $this->code;
        if ($code->is($i, '?')) {
            $from = $this->operandBefore($i);
            $this->replace('negated', $from, $i - 1, '!(' . $code->between($from, $i - 1) . ')');
            return;
        }
        if (!$code->is($i, 'if', 'while', 'for')) {
            return;
        }
        $open = $code->is($i + 1, 'constexpr') ? $i + 2 : $i + 1;
        $from = $open + 1;
        $to = $code->partner[$open] - 1;
        if ($code->is($i, 'for')) {
            $first = $code->next($from, ';');
            $second = $first === null ? null : $code->next($first + 1, ';');
            if ($second === null || $second === $first + 1) {
                return;
            }
            $from = $first + 1;
            $to = $second - 1;
        } elseif (($first = $code->next($from, ';')) !== null) {
            $from = $first + 1;
        }
        $condition = $code->between($from, $to);
        $this->replace('negated', $from, $to, "!($condition)");
        if ($code->is($i, 'if')) {
            $this->replace('weakened', $from, $to, "true || ($condition)");
            $this->replace('weakened', $from, $to, "false && ($condition)");
        } else {
            $this->replace('weakened', $from, $to, "false && ($condition)");
        }
    }

    private function comparisons(int $i): void
    {
        $code = $this->code;
        $token = $code->tokens[$i];
        if ($code->is($i, '==', '!=') && !$code->is($i - 1, 'operator')) {
            $this->replace('negated', $i, $i, $token->text === '==' ? '!=' : '==');
        } elseif ($code->is($i, '!')) {
            $this->replace('negated', $i, $i, '');
        } elseif ($code->is($i, '&&', '||') && $this->isSpaced($i)) {
            $this->replace('weakened', $i, $i, $token->text === '&&' ? '||' : '&&');
            $from = $this->operandBefore($i);
            $this->replace('weakened', $from, $i, '');
            $end = $code->next($i + 1, ';', ',', '?', ':', '&&', '||') ?? $code->partner[$code->within[$i]];
            $this->replace('weakened', $i, $end - 1, '');
        } elseif (isset(self::BOUNDARIES[$token->text]) && $this->isSpaced($i)) {
            $this->replace('boundary', $i, $i, self::BOUNDARIES[$token->text]);
        }
    }

    /** The formatter puts spaces around an operator, and none around the brackets of a template. */
    private function isSpaced(int $i): bool
    {
        $token = $this->code->tokens[$i];
        return $token->kind === 'sign' && ctype_space($this->code->text[$token->start - 1])
            && ctype_space($this->code->text[$token->end()]);
    }

    /** Where the operand begins that ends before an operator. */
    private function operandBefore(int $operator): int
    {
        $stops = ['return', '=', ',', ';', '?', ':', '||', '&&', '<<', '+=', 'case'];
        return $this->code->previous($operator, ...$stops) + 1;
    }

    /** A statement is left out, or the function left before it. */
    private function statements(int $i): void
    {
        $code = $this->code;
        if (!$code->beginsStatement($i)) {
            return;
        }
        $body = $code->bodyOf($i);
        if ($code->is($i - 1, '{') && !$code->is($i, 'return') && $body !== 'lambda') {
            $return = $body === 'void' ? 'return; ' : 'return {}; ';
            $this->replace('returned', $i, $i, $return . $code->tokens[$i]->text);
        }
        $end = $code->next($i, ';');
        if ($end === null || $code->is($i, ...array_diff(self::DECLARES, ['break']))) {
            return;
        }
        $statement = $code->squeezed($i, $end);
        // The last of a block ends it anyway.
        $isIdle = $code->is($i, 'break', 'continue') && $code->is($end + 1, '}');
        if ($isIdle || preg_match(self::DECLARATION, $statement)) {
            return;
        }
        $this->replace(preg_match(self::RESETS, $statement) ? 'forgotten' : 'removed', $i, $end, ';');
    }

    /** Two arguments that stand next to each other change places; a reset within an exchange is left out. */
    private function arguments(int $i): void
    {
        $code = $this->code;
        $isCall = $code->is($i, '(') && ($code->tokens[$i - 1]->kind === 'word' || $code->is($i - 1, '>'))
            && !$code->is($i - 1, 'if', 'for', 'while', 'switch', 'catch', 'return', 'sizeof');
        $isList = $code->is($i, '{') && !$code->beginsStatement($i + 1) && !$code->is($i + 1, '}');
        if (!($isCall || $isList)) {
            return;
        }
        $arguments = [];
        $from = $i + 1;
        while (($comma = $code->next($from, ',')) !== null) {
            $arguments[] = [$from, $comma - 1];
            $from = $comma + 1;
        }
        if ($from <= $code->partner[$i] - 1) {
            $arguments[] = [$from, $code->partner[$i] - 1];
        }
        if ($code->is($i - 1, 'exchange') && count($arguments) === 2) {
            $from = $code->is($i - 2, '::') ? $i - 3 : $i - 1;
            $this->replace('forgotten', $from, $code->partner[$i], $code->between(...$arguments[0]));
        }
        $name = $isList && $code->is($i - 1, '(') ? $i - 2 : $i - 1;
        if ($code->is($name, ...self::SYMMETRIC) || $code->is($i - 1, '>')) {
            return;
        }
        for ($k = 1; $k < count($arguments); $k++) {
            [$a, $b] = [$arguments[$k - 1], $arguments[$k]];
            // A lambda is of a type of its own.
            if (!$code->is($a[0], '[') && !$code->is($b[0], '[')) {
                $this->replace('exchanged', $a[0], $b[1], $code->between(...$b) . ', ' . $code->between(...$a));
            }
        }
    }

    /** Whether a declaration outside of functions gives its name this value; `= 0` of a pure virtual function does not. */
    private function isGiven(int $i): bool
    {
        $begin = $this->code->previous($i, ';', '}', ':', ',');
        for ($at = $begin + 1; $at < $i; $at++) {
            if ($this->code->is($at, '=')) {
                return !$this->code->is($at - 1, ')', 'const', 'noexcept', 'override');
            }
        }
        return false;
    }

    private function constants(int $i): void
    {
        $token = $this->code->tokens[$i];
        if ($token->is('true', 'false')) {
            $this->replace('constant', $i, $i, $token->text === 'true' ? 'false' : 'true');
            return;
        }
        if ($token->kind !== 'number') {
            return;
        }
        if (preg_match("~^(0|[1-9][\d']*)([uUlLzZ]*)$~", $token->text, $parts)) {
            $value = (int) str_replace("'", '', $parts[1]);
            $this->replace('constant', $i, $i, $value + 1 . $parts[2]);
            if ($value > 0) {
                $this->replace('constant', $i, $i, $value - 1 . $parts[2]);
            }
        } else {
            $this->replace('constant', $i, $i, "($token->text + 1)");
            $this->replace('constant', $i, $i, "($token->text - 1)");
        }
    }
}
