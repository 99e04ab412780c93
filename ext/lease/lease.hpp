// The PHP class Lease.
#pragma once

namespace redlock::php {

// Once, in MINIT.
void register_lease();

}  // namespace redlock::php
