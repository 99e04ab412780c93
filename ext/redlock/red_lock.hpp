// The PHP class RedLock.
#pragma once

namespace redlock::php {

// Once, in MINIT.
void register_redlock();

// Once, in MSHUTDOWN, where PHP still has the class: it is about to destroy it, and to free what it
// made for it. After a dl() it has not.
void hand_back_redlock();

}  // namespace redlock::php
