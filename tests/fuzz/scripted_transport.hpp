// Connections that do what the fuzzer says, on a clock that moves only while somebody waits.
//
// Every promise that the transport asks of its caller is checked: only open connections are used,
// nothing is sent before the connection stands, and all are closed in the end. Once the input is
// exhausted every server is silent, so a caller that does not give up waits forever or spins, and
// that is caught.
#pragma once
#include <cstring>
#include <map>
#include <string_view>

#include "input.hpp"
#include "redlock/os/clock.hpp"
#include "redlock/os/transport.hpp"
#include "require.hpp"

namespace redlock::fuzz {

class ScriptedClock final : public Clock {
 public:
  [[nodiscard]] Instant now() override { return now_; }
  void advance_to(Instant now) { now_ = std::max(now_, now); }

 private:
  Instant now_ = Instant::from_ns(1'000'000'000);
};

class ScriptedTransport final : public Transport {
 public:
  ScriptedTransport(Input& input, ScriptedClock& clock) : input_(input), clock_(clock) {}
  ScriptedTransport(const ScriptedTransport&) = delete;
  ScriptedTransport& operator=(const ScriptedTransport&) = delete;
  ~ScriptedTransport() override { REQUIRE(states_.empty()); }

  [[nodiscard]] ConnectionId open(const Endpoint& /*endpoint*/, Instant /*answer_by*/) override {
    states_[++last_id_] = input_.choice(4) == 0 ? LinkState::failed : LinkState::connecting;
    return last_id_;
  }

  [[nodiscard]] LinkStatus status(ConnectionId connection) override {
    LinkState& state = states_.at(connection);
    if (state == LinkState::connecting && input_.choice(8) != 0) state = LinkState::connected;
    if (state == LinkState::failed) return {state, Fault::connect, "refused"};
    return {state, Fault::none, state == LinkState::connecting ? "connecting" : ""};
  }

  [[nodiscard]] IoResult send(ConnectionId connection, std::string_view bytes) override {
    REQUIRE(states_.at(connection) == LinkState::connected && !bytes.empty());
    const std::size_t how = input_.choice(16);
    if (how == 1) return {IoState::blocked, 0, {}};
    if (how == 2) return {IoState::ended, 0, "the connection broke"};
    const std::size_t size = how == 3 ? 1 + input_.choice() % bytes.size() : bytes.size();
    return {IoState::progress, size, {}};
  }

  [[nodiscard]] IoResult receive(ConnectionId connection, std::span<char> into) override {
    REQUIRE(states_.at(connection) == LinkState::connected);
    const std::string_view bytes = reply();
    if (bytes.empty()) {
      return {input_.choice(8) == 7 ? IoState::ended : IoState::blocked, 0, "closed"};
    }
    REQUIRE(bytes.size() <= into.size());
    std::memcpy(into.data(), bytes.data(), bytes.size());
    return {IoState::progress, bytes.size(), {}};
  }

  void close(ConnectionId connection) override { REQUIRE(states_.erase(connection) == 1); }
  void forget_all() override { states_.clear(); }

  Woken wait(std::span<Interest> interests, Instant deadline) override {
    bool ready = false;
    for (Interest& interest : interests) {
      const bool failed = states_.at(interest.connection) == LinkState::failed;
      const std::size_t how = input_.choice(4);
      interest.writable = interest.wants.write && !failed && how != 0;
      interest.readable = failed || (how > 1 && !input_.empty());
      ready = ready || interest.readable || interest.writable;
    }
    const Instant before = clock_.now();
    if (ready) {
      clock_.advance_to(std::min(deadline, before + Duration::us(input_.choice())));
      return Woken::ready;
    }
    REQUIRE(deadline != Instant::never());
    clock_.advance_to(deadline);
    turns_without_time_ = clock_.now() > before ? 0 : turns_without_time_ + 1;
    REQUIRE(turns_without_time_ < 1000);
    return Woken::deadline;
  }

 private:
  std::string_view reply() {
    constexpr std::string_view kReplies[] = {
        "+OK\r\n",          "+OK\r\n",     "$-1\r\n",
        ":1\r\n",           ":1\r\n",      ":0\r\n",
        "-NOSCRIPT no\r\n", "-OOM no\r\n", "$15\r\n1700000000000.5\r\n",
        "-READONLY no\r\n"};
    const std::size_t how = input_.empty() ? 255 : input_.choice(20);
    if (how < std::size(kReplies)) return kReplies[how];
    return how < 15 ? input_.text(1U + input_.choice(32)) : std::string_view();
  }

  Input& input_;
  ScriptedClock& clock_;
  ConnectionId last_id_ = 0;
  std::map<ConnectionId, LinkState> states_;
  int turns_without_time_ = 0;
};

}  // namespace redlock::fuzz
