<?php

declare(strict_types=1);

namespace Bench;

/** One figure to reach: what was asked for, what was measured, and whether it is met. */
final class Figure
{
    public readonly bool $met;

    /** @param '<='|'>='|'<' $relation how the measured value must relate to the target */
    public function __construct(
        public readonly string $name,
        private readonly string $relation,
        public readonly float $target,
        public readonly float $measured,
        private readonly string $unit = '',
    ) {
        $this->met = match (true) {
            $relation === '<=' => $measured <= $target,
            $relation === '>=' => $measured >= $target,
            $relation === '<' => $measured < $target,
        };
    }

    /** @return array{string, string, string, string} */
    public function row(): array
    {
        $sign = strtr($this->relation, ['<=' => '≤', '>=' => '≥']);

        return [$this->name, "$sign " . $this->format($this->target), $this->format($this->measured),
            $this->met ? 'met' : 'NOT MET'];
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return ['figure' => $this->name, 'target' => "$this->relation $this->target", 'unit' => $this->unit,
            'measured' => round($this->measured, 4), 'met' => $this->met];
    }

    private function format(float $value): string
    {
        return $this->unit === '' ? sprintf('%.2f', $value) : sprintf('%g %s', round($value, 1), $this->unit);
    }
}
