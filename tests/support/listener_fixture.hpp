// One listener in a fake world, run as a reactor does whose operations listen.
#pragma once
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "redlock/net/listener.hpp"
#include "support/fake_transport.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::test {

inline constexpr Duration kAnswerTime = Duration::ms(50);

// The n-th asking gets no random bytes.
class DryEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override {
    if (dry) throw std::runtime_error("no random bytes");
    seeded_.fill(bytes);
  }
  bool dry = false;

 private:
  SeededEntropy seeded_;
};

class ListenerTest : public ::testing::Test {
 protected:
  explicit ListenerTest(const std::string& client_name = {})
      : listener_(std::make_unique<FixedLocator>(server_named(client_name)), kAnswerTime,
                  transport_, entropy_) {}
  // As a reactor does whose operations listen, until the clock shows `until` or nothing is to be
  // waited for.
  void run(Duration span) {
    const Instant until = clock_.now() + span;
    do {
      listener_.review(clock_.now());
      listener_.attend(clock_.now(), pushes_);
      std::vector<Interest> interests;
      if (listener_.has_conversation()) {
        interests.push_back({listener_.connection(),
                             transport_.wants(listener_.connection(), listener_.has_output()),
                             false, false});
      }
      transport_.wait(interests, std::min(until, listener_.next_event()));
      for (const Interest& interest : interests) {
        listener_.on_ready(interest.readable, interest.writable, clock_.now(), pushes_);
      }
      listener_.on_time(clock_.now(), pushes_);
    } while (clock_.now() < until);
    listener_.review(clock_.now());
  }
  // Until it can be heard.
  std::string subscribe() {
    run(Duration::ms(5));
    EXPECT_NE(listener_.subscription_state(), nullptr);
    return listener_.subscription_state() == nullptr ? "" : listener_.subscription_state()->channel;
  }
  FakeServer& server() { return transport_.server("s:6379"); }
  void refuse(const std::string& words) {
    server().say = [words](const Arguments& request) -> std::optional<std::string> {
      if (request.front() == "SUBSCRIBE") return error(words);
      return std::nullopt;
    };
  }

  FakeClock clock_;
  DryEntropy entropy_;
  FakeTransport transport_{clock_};
  Listener listener_;
  std::vector<Push> pushes_;

 private:
  static Endpoint server_named(const std::string& client_name) {
    Endpoint endpoint = parse_server("s").endpoint;
    endpoint.client_name = client_name;
    return endpoint;
  }
};

}  // namespace redlock::test
