// The PHP class RedLock.
#pragma once

namespace redlock::php {

// Once, in MINIT.
void register_redlock();

}  // namespace redlock::php
