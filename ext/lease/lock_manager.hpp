// The PHP class LockManager.
#pragma once

namespace redlock::php {

// Once, in MINIT, after register_lease().
void register_lock_manager();

}  // namespace redlock::php
