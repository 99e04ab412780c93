// People in line on one simulated server, and what they are told.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/script_rules.hpp"

namespace redlock::sim {

// Everybody who waits is a token, reached by a channel of the same name, and waits with a ttl of
// his own.
class LineRules : public ScriptRules, public PushSink {
 protected:
  LineRules() { server_.push_to(this); }

  struct Push {
    std::string channel;
    std::string text;
    bool operator==(const Push&) const = default;
    friend void PrintTo(const Push& push, std::ostream* out) {
      *out << push.channel << ": " << push.text;
    }
  };
  using Pushes = std::vector<Push>;

  bool push(std::uint64_t session, std::string_view bytes) override {
    if (!channels_.contains(session)) return false;
    const std::size_t end = bytes.rfind("\r\n");
    const std::size_t begin = bytes.rfind("\r\n", end - 1) + 2;
    pushes_.push_back({channels_[session], std::string(bytes.substr(begin, end - begin))});
    return true;
  }
  void listen(const std::string& channel) {
    ServerSession& session = listeners_[channel] = server_.accept(++sessions_);
    channels_[session.id] = channel;
    std::string answer;
    server_.execute(session, {"SUBSCRIBE", channel}, answer);
  }
  void unsubscribe(const std::string& channel) { channels_.erase(listeners_[channel].id); }

  std::string join(const std::string& token, std::int64_t ticket, std::int64_t ttl_ms = 1000,
                   const std::string& echo = "1") {
    return run(scripts::join,
               {token, std::to_string(ttl_ms), std::to_string(ticket), token, echo, "1"});
  }
  // Without taking.
  std::string join_only_to_stand(const std::string& token, std::int64_t ticket,
                                 const std::string& echo = "1") {
    return run(scripts::join, {token, "1000", std::to_string(ticket), token, echo, "0"});
  }
  // Without taking what is free.
  std::string keep(const std::string& token, std::int64_t ticket, const std::string& echo = "1") {
    return run(scripts::join, {token, "1000", std::to_string(ticket), token, echo, "3"});
  }
  // Without taking, and what it had goes to those behind it.
  std::string yield(const std::string& token, std::int64_t ticket, const std::string& echo = "1") {
    return run(scripts::join, {token, "1000", std::to_string(ticket), token, echo, "2"});
  }
  // Somebody who can be reached.
  void wait_in_line(const std::string& token, std::int64_t ticket, std::int64_t ttl_ms = 1000) {
    listen(token);
    join(token, ticket, ttl_ms);
  }
  void hold(const std::string& token, std::int64_t ttl_ms = 9000) {
    run({"SET", "k", token, "PX", std::to_string(ttl_ms)});
  }
  std::string pass(const std::string& token) { return run(scripts::pass, {token}); }
  // Of an attempt that failed.
  std::string undo(const std::string& token) { return run(scripts::pass, {token, "0"}); }
  std::string standing(std::int64_t pttl, int place) const {
    return bulk(std::to_string(pttl) + ' ' + std::to_string(place) + ' ' + std::to_string(now_ms_));
  }
  // In order.
  std::vector<std::string> line() {
    std::vector<std::string> tokens;
    const Entry* entry = server_.keyspace().find(0, "k:redlock:line");
    if (entry == nullptr) return tokens;
    for (const Item& item : entry->items) tokens.push_back(item.name);
    return tokens;
  }
  // How many are told of by name.
  std::size_t waiters() {
    const Entry* entry = server_.keyspace().find(0, "k:redlock:waiters");
    if (entry == nullptr) return 0;
    return static_cast<std::size_t>(
        std::ranges::count_if(entry->items, [](const Item& item) { return !item.name.empty(); }));
  }
  // Behind which join the lock was given to whom.
  std::string given() { return told_of(""); }
  std::string told_of(std::string_view token) { return run({"HGET", "k:redlock:waiters", token}); }
  std::string left(std::string_view key) { return run({"PTTL", key}); }
  void wait(std::int64_t ms) { go_to(now_ms_ += ms); }
  Pushes on_pushes() { return std::exchange(pushes_, {}); }

  using Line = std::vector<std::string>;
  std::int64_t now_ms_ = kNowMs;
  std::map<std::string, ServerSession> listeners_;
  std::map<std::uint64_t, std::string> channels_;
  Pushes pushes_;
  std::uint64_t sessions_ = 1;
};

}  // namespace redlock::sim
