// The clock of the measurements, and how samples are written as JSON.
#pragma once
#include <chrono>
#include <cstdint>
#include <iostream>
#include <span>
#include <string_view>

namespace bench {

// CLOCK_MONOTONIC, the clock PHP's hrtime() reads, so figures of several processes compare.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline void write_samples(std::string_view name, std::span<const std::int64_t> samples_ns) {
  std::cout << '"' << name << "\":[";
  std::string_view separator;
  for (const std::int64_t sample : samples_ns) {
    std::cout << separator << sample;
    separator = ",";
  }
  std::cout << ']';
}

}  // namespace bench
