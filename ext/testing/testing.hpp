// The class Testing: what can happen to the servers of memory://.
#pragma once

namespace redlock::php {

void register_testing();

}  // namespace redlock::php
