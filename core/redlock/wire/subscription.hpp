// The conversation in which one only listens: SUBSCRIBE to one channel, then whatever is published
// there.
//
//   greeting ─▶ SUBSCRIBE, held back by a SELECT ─▶ confirmed ─▶ broken, for good
//                                                    └─ PING ─▶ pong, each when it is asked for
//
// What is published and is no Push of ours is passed over: the name of a channel is no secret on
// its server, and a later version may have more to say. To break off would let anybody who can
// publish cost all waits their places. Whatever else does not fit (a message of another channel, a
// pong that nobody asked for, an end of the subscription) breaks it.
// Invariants: at most one PING is unanswered, so what waits to be sent is bounded. Pure: no clock,
// no I/O. One thread; lives as long as its connection.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/algorithm/line.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/wire/conversation.hpp"
#include "redlock/wire/endpoint.hpp"

namespace redlock {

class Subscription final : public Conversation {
 public:
  // Only what is heard is an event. Whether it can be heard is a state, confirmed(), which nobody
  // can miss.
  using Event = Push;

  // Writes the greeting.
  Subscription(const Endpoint& endpoint, const std::string& channel);

  // Has the server confirmed the channel? From then on everything that is published there is heard,
  // until the conversation is broken.
  [[nodiscard]] bool confirmed() const { return confirmed_ && !broken(); }
  // The confirmation is part of the greeting: until then nobody can make anything of the
  // connection.
  [[nodiscard]] bool greeting() const { return Conversation::greeting() || !confirmed_; }
  // Has the server said that it lets nobody of ours subscribe? It would say so again.
  [[nodiscard]] bool refused() const { return refused_; }
  // Wants a sign of life by then. Nothing happens unless it is confirmed, or while one is due.
  void ping(Instant answer_by);

  [[nodiscard]] bool has_output() const { return !rest().empty() || owes_request(); }
  [[nodiscard]] std::string_view output();
  // What little there is stays as bytes.
  void take_back() noexcept {}
  void drop_expired(Instant /*now*/, std::vector<Event>& /*events*/) {}
  void take_bytes(std::string_view bytes, std::vector<Event>& events);
  void fail(Fault fault, const std::string& reason, std::vector<Event>& events);
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  // Never: what will be published is always awaited.
  [[nodiscard]] bool idle() const { return false; }

 private:
  [[nodiscard]] bool owes_request() const { return admitted() && !asked_ && !broken(); }
  void take_reply(const RespValue& value, std::vector<Event>& events);
  // Is it what a server says of our channel: `kind`, the channel, and something of this kind?
  [[nodiscard]] bool is_about_us(const RespValue& value, std::string_view kind,
                                 RespKind third) const;
  [[nodiscard]] bool answers_ping(const RespValue& value) const;

  std::string channel_;
  bool asked_ = false;
  bool confirmed_ = false;
  bool refused_ = false;
  std::optional<Instant> pong_by_;
};

}  // namespace redlock
