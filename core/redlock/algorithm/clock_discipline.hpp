// What the kernel says of how it steers the clock, as a slew. A pure function.
#pragma once
#include <cstdint>

namespace redlock {

// `frequency` in millionths with 16 binary places, `tick_us` long are the ticks of which there are
// `ticks_a_second` in a second of a clock that is left alone: the kernel's words.
[[nodiscard]] inline double slew_ppm_of(std::int64_t frequency, std::int64_t tick_us,
                                        std::int64_t ticks_a_second) {
  constexpr double kOnePpm = 65'536;
  constexpr std::int64_t kSecondUs = 1'000'000;
  return static_cast<double>(frequency) / kOnePpm +
         static_cast<double>(tick_us * ticks_a_second - kSecondUs);
}

}  // namespace redlock
