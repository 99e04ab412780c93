<?php

/** A token of C++: what is left of a source without spaces, comments and preprocessor lines. */

declare(strict_types=1);

namespace RedLock\Mutants;

final class Token
{
    private const PATTERN = <<<'REGEX'
        ~\G(?:
          (?<space>\s+|//[^\n]*|/\*.*?\*/)
        | (?<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
        | (?<string>(?:u8|[uUL])?R"(?<fence>[^\s()\\]*)\(.*?\)\k<fence>"|(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*")
        | (?<char>(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
        | (?<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
        | (?<word>[A-Za-z_]\w*)
        | (?<sign><=>|->\*|\.\.\.|<<=|>>=|::|->|\+\+|--|&&|\|\||==|!=|<=|>=|[-+*/%&|^]=|<<|.)
        )~xms
        REGEX;

    /** @param string $kind string, char, number, word or sign */
    private function __construct(
        public readonly string $kind,
        public readonly string $text,
        public readonly int $start,
    ) {
    }

    public function end(): int
    {
        return $this->start + strlen($this->text);
    }

    public function is(string ...$texts): bool
    {
        return ($this->kind === 'sign' || $this->kind === 'word') && in_array($this->text, $texts, true);
    }

    /** @return list<self> */
    public static function all(string $source): array
    {
        $tokens = [];
        for ($at = 0; $at < strlen($source); $at += strlen($found[0])) {
            if (!preg_match(self::PATTERN, $source, $found, PREG_UNMATCHED_AS_NULL, $at)) {
                throw new \RuntimeException("no token at byte $at");
            }
            foreach (['string', 'char', 'number', 'word', 'sign'] as $kind) {
                if ($found[$kind] !== null) {
                    $tokens[] = new self($kind, $found[$kind], $at);
                }
            }
        }
        return $tokens;
    }
}
