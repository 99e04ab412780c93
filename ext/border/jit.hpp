// Whether PHP's own compiler makes machine code of opcodes (opcache.jit).
#pragma once

namespace redlock::php {

// As far as its settings tell: it may have stopped for want of memory.
[[nodiscard]] bool jit_is_on();

}  // namespace redlock::php
