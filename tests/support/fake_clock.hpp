// A clock that stands still until a test moves it.
#pragma once
#include "redlock/os/clock.hpp"

namespace redlock::test {

class FakeClock final : public Clock {
 public:
  [[nodiscard]] Instant now() override {
    const Instant read = now_;
    advance(per_reading);
    return read;
  }
  void advance(Duration span) { now_ = now_ + span; }
  void advance_to(Instant at) {
    if (at > now_) now_ = at;
  }
  // Goes by with every reading.
  Duration per_reading;

 private:
  // Not the epoch, so that a forgotten start shows.
  Instant now_ = Instant::from_ns(1'000'000'000'000);
};

}  // namespace redlock::test
