// What the kernel says of how it steers the system's clock.
//
// Reads it only, for which no right is needed. Any thread.
#pragma once
#include <optional>

#include "redlock/types.hpp"

namespace redlock {

// Nothing where the system does not say it.
[[nodiscard]] std::optional<ClockDiscipline> kernel_clock() noexcept;

}  // namespace redlock
