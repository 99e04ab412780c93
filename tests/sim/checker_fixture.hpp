// Three servers whose keys a test writes itself, and a checker that watches them.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "redlock/wire/scripts.hpp"
#include "sim/checker.hpp"
#include "sim/world_time.hpp"

namespace redlock::sim {

// Connections as a test wants them: all are sound unless it says otherwise.
struct TestLinks final : Links {
  [[nodiscard]] bool sound(std::uint32_t /*client*/, std::uint32_t server) const override {
    return server != cut_off;
  }
  [[nodiscard]] bool under_way(std::uint32_t /*client*/, std::uint32_t /*server*/,
                               std::uint32_t except) const override {
    return busy != kNone && busy != except;
  }
  [[nodiscard]] std::vector<EndedLink> ended(std::uint32_t /*client*/, std::uint32_t /*server*/,
                                             std::uint32_t /*newest*/) const override {
    return ended_links;
  }
  [[nodiscard]] std::vector<EndedLink> forgotten(std::uint32_t /*client*/,
                                                 std::uint32_t server) const override {
    return server == 0 ? forgotten_links : std::vector<EndedLink>{};
  }
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t cut_off = kNone;
  std::uint32_t busy = kNone;
  std::vector<EndedLink> ended_links;
  std::vector<EndedLink> forgotten_links;  // to server 0
};

class CheckerTest : public testing::Test {
 protected:
  using Kinds = std::vector<ViolationKind>;
  static constexpr std::string_view kOk = "+OK\r\n";
  static constexpr std::string_view kNil = "$-1\r\n";

  explicit CheckerTest(Plan plan = make_plan())
      : plan_(std::move(plan)), clock_(kWallStartNs, 0), checker_(plan_, views()) {
    checker_.watch(links_);
  }

  static Plan make_plan() {
    Plan plan;
    plan.servers = 3;
    plan.clients.resize(2);
    return plan;
  }
  // Everybody waits for so long at most.
  static Plan make_waiting_plan(std::int64_t wait_ms = 200) {
    Plan plan = make_plan();
    for (ClientPlan& client : plan.clients) client.wait_ms = wait_ms;
    return plan;
  }
  std::vector<ServerView> views() {
    std::vector<ServerView> views;
    for (Keyspace& keyspace : keyspaces_) views.push_back({&keyspace, &clock_, 0});
    return views;
  }
  void go_to(std::int64_t ms) {
    now_ms_ = ms;
    checker_.set_now(ms * kMs);
    checker_.after_event();
  }
  // As if the client's SET had been executed; it was written just now.
  void set(std::uint32_t client, std::uint32_t server, const std::string& token,
           std::int64_t ttl_ms, std::uint32_t connection = 0) {
    put(client, server, token, ttl_ms);
    executed(client, server, {"SET", "lock", token}, kOk, connection);
  }
  // As if one of its commands had set the key.
  void put(std::uint32_t client, std::uint32_t server, const std::string& token,
           std::int64_t ttl_ms) {
    Keyspace& keyspace = keyspaces_[server];
    const Entry entry{0, "lock", token, ValueType::string, kWallStartNs / kMs + now_ms_ + ttl_ms};
    keyspace.set_time(kWallStartNs / kMs + now_ms_, now_ms_ * kMs);
    checker_.key_changes(client, server, keyspace.find(0, "lock"), &entry);
    keyspace.put(entry);
  }
  // As if it had been denied.
  void ask(std::uint32_t client, std::uint32_t server, const std::string& token,
           std::uint32_t connection = 0) {
    executed(client, server, {"SET", "lock", token}, kNil, connection);
  }
  // The bytes of one that removes its token.
  static std::string removal_of(char token) {
    return "*5\r\n$7\r\nEVALSHA\r\n$40\r\n" + std::string(scripts::pass.sha1) +
           "\r\n$1\r\n1\r\n$4\r\nlock\r\n$1\r\n" + std::string(1, token) + "\r\n";
  }
  static Arguments words_of_join(std::string_view token, std::string_view ticket = "7") {
    return {"EVALSHA", scripts::join.sha1, "1", "lock", token, "5000", ticket, "c", "1", "1"};
  }
  // As if its join had been executed.
  void join(std::uint32_t client, std::uint32_t server, const std::string& token,
            std::string_view answer, std::uint32_t connection = 0, std::string_view ticket = "7") {
    const Arguments words = words_of_join(token, ticket);
    checker_.command_begins({client, server, connection, now_ms_ * kMs}, deed_of(words));
    executed(client, server, words, answer, connection);
  }
  void executed(std::uint32_t client, std::uint32_t server, const Arguments& arguments,
                std::string_view answer, std::uint32_t connection) {
    checker_.command_executed({client, server, connection, now_ms_ * kMs}, deed_of(arguments),
                              answer);
  }
  void remove(std::uint32_t client, std::uint32_t server) {
    Keyspace& keyspace = keyspaces_[server];
    checker_.key_changes(client, server, keyspace.find(0, "lock"), nullptr);
    keyspace.erase(0, "lock");
    checker_.after_event();
  }
  void set_everywhere(std::uint32_t client, const std::string& token, std::int64_t ttl_ms) {
    for (std::uint32_t server = 0; server < 3; ++server) set(client, server, token, ttl_ms);
  }
  [[nodiscard]] Kinds kinds() const {
    Kinds kinds;
    for (const Violation& violation : checker_.violations()) kinds.push_back(violation.kind);
    return kinds;
  }
  [[nodiscard]] bool seen(ViolationKind kind) const {
    return std::ranges::count(kinds(), kind) > 0;
  }
  [[nodiscard]] std::uint64_t judged(ViolationKind kind) const {
    return checker_.judged()[static_cast<std::size_t>(kind)];
  }

  Plan plan_;
  SimClock clock_;
  TestLinks links_;
  std::array<Keyspace, 3> keyspaces_;
  Checker checker_;
  std::int64_t now_ms_ = 0;
};

}  // namespace redlock::sim
