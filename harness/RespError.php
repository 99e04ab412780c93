<?php

/** What a server answered with a minus sign. */

declare(strict_types=1);

namespace RedLock\Harness;

final class RespError extends \RuntimeException
{
}
