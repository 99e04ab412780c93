// The one place that states the version: CMake reads it here, and the tidy test compares the
// package descriptions with it.
#pragma once

namespace redlock {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace redlock
