<?php

/** A subclass that forgets to call the parent's constructor. */

declare(strict_types=1);

namespace RedLock\Tests\Support;

final class ForgetfulPidLock extends \PidLock
{
    public function __construct()
    {
    }
}
