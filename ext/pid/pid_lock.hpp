// The PHP class PidLock.
#pragma once

namespace redlock::php {

// Once, in MINIT.
void register_pid_lock();

}  // namespace redlock::php
