// What a fuzz target claims; a claim that fails ends the process, which libFuzzer reports.
#pragma once
#include <cstdio>
#include <cstdlib>

namespace redlock::fuzz {

[[noreturn]] inline void claim_failed(const char* claim, const char* file, int line) {
  std::fprintf(stderr, "claim failed: %s (%s:%d)\n", claim, file, line);
  std::abort();
}

}  // namespace redlock::fuzz

#define REQUIRE(claim)                             \
  (static_cast<bool>(claim) ? static_cast<void>(0) \
                            : ::redlock::fuzz::claim_failed(#claim, __FILE__, __LINE__))
