// Many that wait in line over several servers, with delays that are drawn: the servers here are a
// twin of the scripts, written from what the commands are to do.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>

#include "redlock/algorithm/quorum_kind.hpp"
#include "redlock/algorithm/validity.hpp"
#include "redlock/queue/queued_acquire.hpp"
#include "redlock/wire/line_codec.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::queued_acquire_world_test {
namespace {

using test::t;

struct Settings {
  std::size_t servers = 3;
  std::size_t clients = 8;
  Duration ttl = Duration::ms(2'000);
  Duration hold = Duration::ms(5);
  Duration delay_max = Duration::ms(2);  // one way
  std::size_t killed = 0;                // so many vanish, holding or waiting
};

class LineWorld {
 public:
  LineWorld(const Settings& settings, std::uint64_t seed)
      : settings_(settings), random_(seed), entropy_(seed) {
    servers_.resize(settings.servers);
    clients_.resize(settings.clients);
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      clients_[i].memory = std::make_shared<LineMemory>();
      at(draw(Duration(), Duration::ms(3)), [this, i] { begin(i); });
    }
    for (std::size_t i = 0; i < settings.killed; ++i) {
      at(draw(Duration::ms(10), Duration::ms(200)), [this, i] { clients_[i].dead = true; });
    }
  }
  // Until so many locks were had, or the time is over.
  void run(int locks, Duration limit) {
    while (locks_ < locks && !events_.empty() && events_.begin()->first.first < t(0) + limit) {
      const auto next = events_.begin();
      now_ = next->first.first;
      const std::function<void()> act = std::move(next->second);
      events_.erase(next);
      act();
    }
  }
  [[nodiscard]] int locks() const { return locks_; }
  [[nodiscard]] int commands() const { return commands_; }
  // So many votes were free again though somebody waited.
  [[nodiscard]] int given_back() const { return given_back_; }
  [[nodiscard]] Duration elapsed() const { return now_ - t(0); }
  [[nodiscard]] Duration longest_wait() const { return longest_wait_; }

 private:
  struct Entry {
    std::size_t client;
    Enqueue join;
  };
  struct Server {
    std::optional<Token> key;
    std::size_t owner = 0;
    Instant key_ends;
    std::set<std::pair<std::int64_t, std::string>> line;
    std::map<std::string, Entry> waiters;
  };
  struct Client {
    std::shared_ptr<LineMemory> memory;
    std::unique_ptr<QueuedAcquire> line;
    std::uint64_t wait = 0;
    Instant began;
    bool told = false;  // whether it can hear
    bool dead = false;
    std::map<std::string, Instant> arrives;  // the latest on each stream, which keeps its order
  };

  Duration draw(Duration low, Duration high) {
    return Duration::ns(
        std::uniform_int_distribution<std::int64_t>(low.count_ns(), high.count_ns())(random_));
  }
  void at(Duration after, std::function<void()> act) {
    events_.emplace(std::pair(now_ + after, ++serial_), std::move(act));
  }
  // In order on each stream of each client.
  void carry(std::size_t client, const std::string& stream, std::function<void()> act) {
    Instant& latest = clients_[client].arrives[stream];
    latest = std::max(latest, now_ + draw(Duration::us(50), settings_.delay_max));
    at(latest - now_, std::move(act));
  }

  void begin(std::size_t i) {
    Client& client = clients_[i];
    if (client.dead) return;
    client.line = std::make_unique<QueuedAcquire>(
        test::answer_times(settings_.servers, Duration::ms(1'000)),
        std::make_shared<QuorumKind>(Resource("r"), settings_.ttl, kDriftFactorDefault),
        WaitRequest{Resource("r"), Duration::max(), 200, (now_ - t(0)).count_ms()}, client.memory,
        entropy_);
    ++client.wait;
    client.told = false;
    client.began = now_;
    client.line->start(now_);
    follow(i);
  }
  void follow(std::size_t i) {
    Client& client = clients_[i];
    if (client.dead) return;
    if (client.line->listens() && !client.told) {
      client.told = true;
      for (std::size_t s = 0; s < servers_.size(); ++s) {
        client.line->on_subscription(NodeIndex(s), {std::to_string(i), {}, {}}, now_);
      }
    }
    for (const Request& request : test::drain(*client.line)) send(i, request);
    if (client.line->outcome() != nullptr) return settle(i);
    if (const auto deadline = client.line->next_deadline();
        deadline && *deadline != Instant::never()) {
      at(std::max(*deadline - now_, Duration()), [this, i, wait = client.wait] {
        if (clients_[i].wait != wait || clients_[i].line->outcome() != nullptr) return;
        clients_[i].line->on_time(now_);
        follow(i);
      });
    }
  }
  void settle(std::size_t i) {
    Client& client = clients_[i];
    const Outcome& outcome = *client.line->outcome();
    ASSERT_EQ(outcome.decision, Decision::granted);
    ASSERT_GT(outcome.validity, Duration());
    ++locks_;
    longest_wait_ = std::max(longest_wait_, now_ - client.began);
    ASSERT_LE(held_until_, now_) << "two holders";
    held_until_ = now_ + outcome.validity;
    ++client.wait;
    at(std::min(settings_.hold, outcome.validity), [this, i, token = outcome.token] {
      if (clients_[i].dead) return;
      held_until_ = now_;
      for (std::size_t s = 0; s < servers_.size(); ++s) {
        send(i, {NodeIndex(s), 0,
                 std::make_shared<const Command>(ReleaseAndHandOver{Resource("r"), token}), now_,
                 false});
      }
      at(Duration(), [this, i] { begin(i); });
    });
  }
  void send(std::size_t i, const Request& request) {
    ++commands_;
    const std::size_t s = request.node.value();
    carry(i, "to " + std::to_string(s), [this, i, s, request, wait = clients_[i].wait] {
      Reply reply = std::visit([&](const auto& c) { return serve(i, s, c); }, *request.command);
      if (!request.wants_answer) return;
      carry(i, "from " + std::to_string(s), [this, i, s, request, wait, reply] {
        if (clients_[i].wait != wait || clients_[i].dead) return;
        clients_[i].line->on_reply(NodeIndex(s), request.attempt, reply, now_);
        follow(i);
      });
    });
  }
  void push(std::size_t i, std::size_t s, Push push) {
    carry(i, "pushed by " + std::to_string(s), [this, i, s, push = std::move(push)] {
      if (clients_[i].dead || clients_[i].line->outcome() != nullptr) return;
      (void)clients_[i].line->on_push(NodeIndex(s), push, now_);
      follow(i);
    });
  }

  void expire(Server& server) {
    if (server.key && now_ >= server.key_ends) server.key.reset();
  }
  void leave(Server& server, const std::string& token) {
    std::erase_if(server.line, [&](const auto& place) { return place.second == token; });
    server.waiters.erase(token);
  }
  void tell(std::size_t s, const std::string& me, bool free) {
    Server& server = servers_[s];
    while (!server.line.empty()) {
      const std::string who = server.line.begin()->second;
      const Entry entry = server.waiters.at(who);
      if (clients_[entry.client].dead) {
        leave(server, who);
        continue;
      }
      if (!free) {
        const Duration left = server.key ? server.key_ends - now_ : Duration();
        if (who != me) push(entry.client, s, {Push::Kind::next, Token(who), 0, left});
        return;
      }
      server.key = Token(who);
      server.owner = entry.client;
      server.key_ends = now_ + entry.join.ttl;
      leave(server, who);
      if (who != me)
        push(entry.client, s, {Push::Kind::granted, Token(who), entry.join.entry.echo, {}});
      free = false;
    }
  }
  Reply serve(std::size_t i, std::size_t s, const SetIfAbsent& set) {
    Server& server = servers_[s];
    expire(server);
    if (server.key) return Reply::denied();
    server.key = set.token;
    server.owner = i;
    server.key_ends = now_ + set.ttl;
    return Reply::granted();
  }
  Reply serve(std::size_t /*i*/, std::size_t s, const ReleaseAndHandOver& pass) {
    Server& server = servers_[s];
    expire(server);
    const bool mine = server.key == pass.token;
    if (mine) server.key.reset();
    const std::string token(pass.token.view());
    const bool first = !server.line.empty() && server.line.begin()->second == token;
    leave(server, token);
    if (!server.key) {
      tell(s, token, true);
    } else if (first) {
      tell(s, token, false);
    }
    return mine ? Reply::granted() : Reply::denied();
  }
  Reply serve(std::size_t i, std::size_t s, const Enqueue& join) {
    Server& server = servers_[s];
    expire(server);
    const std::string token(join.token.view());
    leave(server, token);
    server.line.insert({join.entry.ticket, token});
    server.waiters.insert({token, {i, join}});
    const bool own = server.key == join.token;
    const bool leaves = join.entry.policy == ClaimPolicy::observe;
    if (own) server.key.reset();
    if (own && leaves) ++given_back_;
    if (!server.key && !leaves && (own || join.entry.policy == ClaimPolicy::claim))
      tell(s, token, true);
    if (server.key == join.token) return Reply::granted();
    const Duration left = server.key ? server.key_ends - now_ : Duration::ms(-2);
    const auto before =
        std::distance(server.line.begin(), server.line.find({join.entry.ticket, token}));
    const std::string said = std::to_string(left.count_ms()) + " " + std::to_string(before) + " " +
                             std::to_string((now_ - t(0)).count_ms());
    return Reply::denied(parse_queue_position(said).value());
  }
  template <class Other>
  Reply serve(std::size_t, std::size_t, const Other&) {
    ADD_FAILURE() << "not asked for here";
    return Reply::denied();
  }

  Settings settings_;
  std::mt19937_64 random_;
  test::SeededEntropy entropy_;
  Instant now_ = t(0);
  std::uint64_t serial_ = 0;
  std::map<std::pair<Instant, std::uint64_t>, std::function<void()>> events_;
  std::vector<Server> servers_;
  std::vector<Client> clients_;
  Instant held_until_ = t(0);
  Duration longest_wait_;
  int locks_ = 0;
  int commands_ = 0;
  int given_back_ = 0;
};

constexpr std::uint64_t kSeeds = 4;

class OfServers : public testing::TestWithParam<std::size_t> {};

TEST_P(OfServers, NobodyHoldsBesideAnotherAndEverybodyIsServed) {
  Settings settings;
  settings.servers = GetParam();
  for (std::uint64_t seed = 1; seed <= kSeeds && !testing::Test::HasFailure(); ++seed) {
    LineWorld world(settings, seed);
    world.run(200, Duration::seconds(60));
    EXPECT_EQ(world.locks(), 200) << seed;
    EXPECT_LT(world.longest_wait(), Duration::seconds(1)) << seed;
    EXPECT_LE(world.commands(), 4 * 200 * static_cast<int>(settings.servers)) << seed;
  }
}

// The first in line asks once a second: his join crosses with the word that it is his turn.
TEST_P(OfServers, WhatWasHandedToWhoAsksMeanwhileIsNotGivenBack) {
  Settings settings;
  settings.servers = GetParam();
  settings.hold = Duration::ms(999);
  for (std::uint64_t seed = 1; seed <= kSeeds && !testing::Test::HasFailure(); ++seed) {
    LineWorld world(settings, seed);
    world.run(2, Duration::seconds(60));
    // As they began, votes were split.
    const int at_first = world.given_back();
    world.run(40, Duration::seconds(60));
    EXPECT_EQ(world.locks(), 40) << seed;
    EXPECT_EQ(world.given_back(), at_first) << seed;
  }
}

TEST_P(OfServers, WhoVanishesCostsNoMoreThanHisLock) {
  Settings settings;
  settings.servers = GetParam();
  settings.killed = 4;
  for (std::uint64_t seed = 1; seed <= kSeeds && !testing::Test::HasFailure(); ++seed) {
    LineWorld world(settings, seed);
    world.run(300, Duration::seconds(60));
    EXPECT_EQ(world.locks(), 300) << seed;
    const auto killed = static_cast<std::int64_t>(settings.killed);
    EXPECT_LT(world.elapsed(), settings.ttl * (killed + 1) + Duration::seconds(3)) << seed;
  }
}

TEST_P(OfServers, LocksThatEndBeforeTheyAreGivenBackAreNeverHeldTwice) {
  Settings settings;
  settings.servers = GetParam();
  settings.ttl = Duration::ms(20);
  settings.hold = Duration::ms(30);
  settings.delay_max = Duration::ms(4);
  for (std::uint64_t seed = 1; seed <= kSeeds && !testing::Test::HasFailure(); ++seed) {
    LineWorld world(settings, seed);
    world.run(100, Duration::seconds(60));
    EXPECT_EQ(world.locks(), 100) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Line, OfServers, testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace redlock::queued_acquire_world_test
