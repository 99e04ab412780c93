<?php

/** What a server answered with a minus sign. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

final class RespError extends \RuntimeException
{
}
