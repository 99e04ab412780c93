<?php

/** A subclass that forgets to call the parent's constructor. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

final class ForgetfulRedLock extends \RedLock
{
    public function __construct()
    {
    }
}
