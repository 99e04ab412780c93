// Waiting for a condition with a deadline, instead of sleeping and hoping.
#pragma once
#include <chrono>
#include <thread>

namespace redlock::test {

// True as soon as the condition holds, false when it never does within ten seconds: far more than
// anything here takes, so that a slow machine fails nothing.
template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace redlock::test
