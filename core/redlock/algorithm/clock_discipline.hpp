// How this machine's clock is steered, and whether locks can bear that.
//
// Lock times are counted on clocks that NTP's programs make run faster or slower until they show
// the right time. A lock's holder and a server may be steered in opposite directions, so each of
// them may use half of what `drift_factor` allows. Pure values and functions.
#pragma once
#include <cmath>
#include <cstdint>

namespace redlock {

struct ClockDiscipline {
  bool synchronized = false;
  double slew_ppm = 0;  // made to run so much faster, in millionths; below 0: slower
  std::int64_t error_max_us = 0;
};

// `frequency` in millionths with 16 binary places, `tick_us` long are the ticks of which there are
// `ticks_a_second` in a second of a clock that is left alone: the kernel's words.
[[nodiscard]] inline double slew_ppm_of(std::int64_t frequency, std::int64_t tick_us,
                                        std::int64_t ticks_a_second) {
  constexpr double kOnePpm = 65'536;
  constexpr std::int64_t kSecondUs = 1'000'000;
  return static_cast<double>(frequency) / kOnePpm +
         static_cast<double>(tick_us * ticks_a_second - kSecondUs);
}

enum class SlewRisk {
  none,
  with_another,  // one that is slewed as much the other way would break the locks' promise
  alone,         // it breaks it by itself
};

[[nodiscard]] inline SlewRisk slew_risk(double slew_ppm, double drift_factor) {
  const double allowed_ppm = drift_factor * 1e6;
  if (std::abs(slew_ppm) > allowed_ppm) return SlewRisk::alone;
  return std::abs(slew_ppm) > allowed_ppm / 2 ? SlewRisk::with_another : SlewRisk::none;
}

}  // namespace redlock
