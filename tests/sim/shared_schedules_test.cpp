// Readers and writers on three servers, with commands that are late or lost: whoever has the lock
// alone is alone.
#include <array>
#include <deque>
#include <optional>

#include "sim/random.hpp"
#include "sim/script_rules.hpp"

namespace redlock::sim::shared_schedules_test {
namespace {

constexpr std::size_t kServers = 3;
constexpr std::size_t kClients = 4;
constexpr std::int64_t kTtlMs = 100;

using Words = std::vector<std::string>;

// A command on its way to one server; those of one client arrive there in order.
struct Sent {
  const Script* script;
  Words arguments;
  std::string granted;  // the answer that is a vote
  std::uint64_t call;   // 0: nobody waits for the answer
};

struct ClientState {
  std::string token;   // empty: it has nothing
  bool alone = false;  // what it believes to have, until then
  std::int64_t until_ms = 0;
  // The call under way.
  enum class Call { none, share, write, extend, promote } call = Call::none;
  std::uint64_t number = 0;
  std::string fresh;
  std::int64_t asked_ms = 0;
  std::int64_t ttl_ms = 0;
  std::size_t votes = 0;
  std::array<std::deque<Sent>, kServers> way;
};

class Schedules : public testing::TestWithParam<std::uint64_t> {
 protected:
  void SetUp() override {
    for (std::size_t i = 0; i < kServers; ++i) {
      servers_.push_back(std::make_unique<Server>(engine_));
      sessions_.push_back(servers_.back()->accept(1));
    }
  }
  void send(ClientState& client, const Script& script, const Words& arguments,
            const std::string& granted, std::uint64_t call) {
    for (auto& way : client.way) {
      if (call == 0 || !random_.chance(1, 10)) way.push_back({&script, arguments, granted, call});
    }
  }
  void begin(ClientState& client, ClientState::Call call, const Script& script,
             const Words& arguments, const std::string& granted) {
    client.call = call;
    client.number = ++calls_;
    client.asked_ms = now_ms_;
    client.votes = 0;
    send(client, script, arguments, granted, client.number);
  }
  void undo(ClientState& client) {
    if (client.call == ClientState::Call::none) return;
    if (client.call != ClientState::Call::extend) {
      send(client, scripts::pass, {client.fresh, "0"}, "", 0);
    }
    client.call = ClientState::Call::none;
  }
  void release(ClientState& client) {
    undo(client);
    send(client, scripts::pass, {client.token}, "", 0);
    client.token.clear();
    client.until_ms = 0;
  }
  bool holds(const ClientState& client) const { return client.until_ms > now_ms_; }

  void act(ClientState& client) {
    if (!client.token.empty() && !holds(client)) return release(client);
    if (client.call != ClientState::Call::none) {
      if (random_.chance(1, 4)) undo(client);
      return;
    }
    client.ttl_ms = random_.chance(1, 2) ? kTtlMs : kTtlMs * 4;
    const std::string ttl = std::to_string(client.ttl_ms);
    client.fresh = "t" + std::to_string(++tokens_);
    if (client.token.empty()) {
      if (random_.chance(1, 2)) {
        return begin(client, ClientState::Call::write, scripts::set_if_absent, {client.fresh, ttl},
                     "+OK\r\n");
      }
      return begin(client, ClientState::Call::share, scripts::share_if_free, {client.fresh, ttl},
                   "+OK\r\n");
    }
    switch (random_.between(0, 3)) {
      case 0:
        return release(client);
      case 1:
        return begin(client, ClientState::Call::extend, scripts::extend_if_equal,
                     {client.token, ttl}, std::string(kYes));
      default:
        break;
    }
    if (!client.alone) {
      return begin(client, ClientState::Call::promote, scripts::promote,
                   {client.token, client.fresh, ttl}, "+PROMOTED\r\n");
    }
    client.alone = false;
    send(client, scripts::demote, {client.token}, "", 0);
  }

  void deliver(ClientState& client, std::size_t server) {
    if (client.way[server].empty()) return;
    const Sent sent = std::move(client.way[server].front());
    client.way[server].pop_front();
    Arguments words{"EVAL", sent.script->text, "1", "k"};
    words.insert(words.end(), sent.arguments.begin(), sent.arguments.end());
    std::string answer;
    servers_[server]->set_time(now_ms_ * 1'000'000, now_ms_ * 1'000'000);
    servers_[server]->execute(sessions_[server], words, answer);
    ASSERT_FALSE(answer.starts_with('-')) << answer;
    if (sent.call == 0 || sent.call != client.number || client.call == ClientState::Call::none)
      return;
    if (answer != sent.granted || random_.chance(1, 10)) return;
    if (++client.votes == kServers / 2 + 1) won(client);
  }
  void won(ClientState& client) {
    const std::int64_t until = client.asked_ms + client.ttl_ms - 1;
    const ClientState::Call call = std::exchange(client.call, ClientState::Call::none);
    const bool lapsed = !client.token.empty() && !holds(client);
    if (until <= now_ms_ || lapsed) {
      client.call = call;
      return undo(client);
    }
    ++won_[static_cast<std::size_t>(call)];
    if (call == ClientState::Call::extend) {
      client.until_ms = std::max(client.until_ms, until);
      return;
    }
    if (call == ClientState::Call::promote) send(client, scripts::pass, {client.token}, "", 0);
    client.token = client.fresh;
    client.alone = call != ClientState::Call::share;
    client.until_ms = until;
  }
  void check() {
    std::size_t holders = 0;
    bool alone = false;
    for (const ClientState& client : clients_) {
      if (!holds(client)) continue;
      ++holders;
      alone = alone || client.alone;
    }
    ASSERT_TRUE(!alone || holders == 1) << holders << " at " << now_ms_;
    most_ = std::max(most_, holders);
  }

  TwinEngine engine_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::vector<ServerSession> sessions_;
  std::array<ClientState, kClients> clients_;
  Random random_{GetParam()};
  std::int64_t now_ms_ = kNowMs;
  std::uint64_t calls_ = 0;
  std::uint64_t tokens_ = 0;
  std::array<std::size_t, 5> won_{};
  std::size_t most_ = 0;
};

TEST_P(Schedules, WhoeverHasItAloneIsAlone) {
  for (int i = 0; i < 20'000 && !HasFatalFailure(); ++i) {
    ClientState& client = clients_[static_cast<std::size_t>(random_.between(0, kClients - 1))];
    if (random_.chance(1, 6)) now_ms_ += random_.between(0, 9);
    if (random_.chance(1, 6)) {
      act(client);
    } else {
      deliver(client, static_cast<std::size_t>(random_.between(0, kServers - 1)));
    }
    check();
  }
  EXPECT_GE(most_, 2U);
  for (std::size_t call = 1; call < won_.size(); ++call) EXPECT_GT(won_[call], 0U) << call;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Schedules, testing::Range<std::uint64_t>(1, 9));

}  // namespace
}  // namespace redlock::sim::shared_schedules_test
