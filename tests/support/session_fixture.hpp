// A session with helpers that play the server's part.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "redlock/wire/session.hpp"
#include "support/machine.hpp"
#include "support/resp.hpp"

namespace redlock::test {

inline SharedCommand shared(Command command) {
  return std::make_shared<const Command>(std::move(command));
}
inline SharedCommand set_of(const std::string& token) {
  return shared(SetIfAbsent{Resource("r"), Token(token), Duration::ms(5)});
}
inline SharedCommand delete_of(const std::string& token) {
  return shared(ReleaseAndHandOver{Resource("r"), Token(token)});
}
inline SharedCommand check_of(const std::string& token) {
  return shared(CheckEqual{Resource("r"), Token(token)});
}

class SessionTest : public testing::Test {
 protected:
  explicit SessionTest(const Endpoint& endpoint = {}) : session_(endpoint, encoder_) {}

  // Hands what the session has to send to a socket that takes everything.
  void transmit() {
    while (session_.has_output()) {
      const std::string bytes(session_.output());
      session_.mark_sent(bytes.size());
      wire_ += bytes;
    }
  }
  // What has been sent since this was asked last, as requests.
  std::vector<Arguments> sent() {
    transmit();
    return take_requests(wire_);
  }
  std::vector<std::string> verbs() {
    std::vector<std::string> names;
    for (const Arguments& request : sent()) names.push_back(request.front());
    return names;
  }
  bool submit(OperationId operation, const SharedCommand& command, Instant answer_by = t(50)) {
    return session_.submit({operation, NodeIndex(operation), 1}, command, answer_by);
  }
  std::vector<Arrival> receive(std::string_view bytes) {
    transmit();
    std::vector<Arrival> arrivals;
    session_.on_bytes(bytes, arrivals);
    return arrivals;
  }
  std::vector<Arrival> fail(Fault fault = Fault::timeout) {
    std::vector<Arrival> arrivals;
    session_.fail(fault, "no answer", arrivals);
    return arrivals;
  }

  RequestEncoder encoder_;
  Session session_;
  std::string wire_;
};

}  // namespace redlock::test
