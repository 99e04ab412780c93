// The conversation in which one only listens: SUBSCRIBE to one channel, then whatever is published
// there.
//
//   greeting ─▶ (PING ─▶ pong ─▶) SUBSCRIBE, held back by a SELECT ─▶ confirmed ─▶ broken, for good
//                                                    └─ PING ─▶ pong, each when it is asked for
//
// The first PING is for a server that closed the connection at SUBSCRIBE the last time. It may have
// ended, or be a proxy that knows no SUBSCRIBE: which of them shows where it answers PING, and then
// closes the connection at SUBSCRIBE again.
// What is published and is no Push of ours is passed over: the name of a channel is no secret on
// its server, and a later version may have more to say. To break off would let anybody who can
// publish cost all waits their positions. Whatever else does not fit (a message of another channel,
// a pong that nobody asked for, an end of the subscription) breaks it. Invariants: at most one PING
// is unanswered, so what waits to be sent is bounded. Pure: no clock, no I/O. One thread; lives as
// long as its connection.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "redlock/algorithm/line.hpp"
#include "redlock/algorithm/time.hpp"
#include "redlock/config/endpoint.hpp"
#include "redlock/wire/conversation.hpp"

namespace redlock {

class Subscription final : public Conversation {
 public:
  // Only what is heard is an event. Whether it can be heard is a state, confirmed(), which nobody
  // can miss.
  using Event = Push;

  // Writes the greeting. `pings_first`: asks for a sign of life before it subscribes.
  Subscription(const Endpoint& endpoint, const std::string& channel, bool pings_first = false);

  // Has the server confirmed the channel? From then on everything that is published there is heard,
  // until the conversation is broken.
  [[nodiscard]] bool confirmed() const { return confirmed_ && !broken(); }
  // The confirmation is part of the greeting: until then nobody can make anything of the
  // connection.
  [[nodiscard]] bool greeting() const { return Conversation::greeting() || !confirmed_; }
  // Has the server said that it lets nobody of ours subscribe? It would say so again.
  [[nodiscard]] bool refused() const { return refused_; }
  // Was SUBSCRIBE said last, and not answered? The server has answered everything before.
  [[nodiscard]] bool awaits_confirmation() const {
    return asked_ && !confirmed_ && !Conversation::greeting();
  }
  // Wants a sign of life by then. Nothing happens unless it is confirmed, or while one is due.
  void ping(Instant answer_by);

  [[nodiscard]] bool has_output() const { return !rest().empty() || owes_request(); }
  [[nodiscard]] std::string_view output();
  // What little there is stays as bytes.
  void take_back() noexcept {}
  void drop_expired(Instant /*now*/, std::vector<Event>& /*events*/) {}
  // Its confirmation is part of the greeting.
  void begin_answers(Instant /*answer_by*/) {}
  void on_bytes(std::string_view bytes, std::vector<Event>& events);
  void fail(Fault fault, const std::string& reason, std::vector<Event>& events);
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  // Never: what will be published is always awaited.
  [[nodiscard]] bool idle() const { return false; }

 private:
  // The PING before SUBSCRIBE.
  enum class FirstPing { none, due, sent };
  [[nodiscard]] bool owes_request() const {
    return admitted() && !asked_ && first_ping_ != FirstPing::sent && !broken();
  }
  void on_first_pong(const RespValue& value, std::vector<Event>& events);
  void on_reply(const RespValue& value, std::vector<Event>& events);
  // Is it what a server says of our channel: `kind`, the channel, and something of this kind?
  [[nodiscard]] bool is_about_us(const RespValue& value, std::string_view kind,
                                 RespKind third) const;
  [[nodiscard]] bool answers_ping(const RespValue& value) const;

  std::string channel_;
  FirstPing first_ping_ = FirstPing::none;
  bool asked_ = false;
  bool confirmed_ = false;
  bool refused_ = false;
  std::optional<Instant> pong_by_;
};

}  // namespace redlock
