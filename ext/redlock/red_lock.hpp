// The PHP class RedLock.
#pragma once

namespace redlock::php {

// Once, in MINIT.
void register_redlock();

// Once, in MSHUTDOWN: PHP is about to destroy the class and to free what it made for it.
void hand_back_redlock();

}  // namespace redlock::php
