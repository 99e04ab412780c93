// Locks on the servers of memory://, which are in this very process.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "io/support/eventually.hpp"
#include "redlock/os/memory_servers.hpp"
#include "redlock/redlock.hpp"
#include "support/allocations.hpp"
#include "support/child.hpp"

namespace redlock::memory_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// Made before all else of the program, and so it ends behind that.
std::optional<Result> last_to_end;

class InMemory : public testing::Test {
 protected:
  ~InMemory() override { memory::forget_all(); }
  static std::vector<std::string> three() { return {"memory://a", "memory://b", "memory://c"}; }
  template <class Deed>
  static bool lost_and_free_after(const Deed& deed) {
    Client mine(three());
    Result held = mine.try_lock("r", 60s);
    if (!held || !held->confirm()) return false;
    deed();
    const bool lost = !held->confirm();
    const Result next = Client(three()).try_lock("r", 60s);
    return lost && next;
  }
};

TEST_F(InMemory, OneHasTheLockUntilItIsGivenBack) {
  Client mine(three());
  Client theirs(three());
  Result held = mine.try_lock("r", 60s);
  ASSERT_TRUE(held);
  const Result refused = theirs.try_lock("r", 60s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.refusal().decision, Decision::denied);
  EXPECT_TRUE(held->confirm());
  EXPECT_TRUE(held->extend(30s));
  EXPECT_TRUE(held->release());
  const Result last = theirs.try_lock("r", 60s);
  EXPECT_TRUE(last);
}

TEST_F(InMemory, ALockEndsWithItsTtl) {
  Client mine(three());
  Client theirs(three());
  Result held = mine.try_lock("r", 60s);
  ASSERT_TRUE(held);
  memory::advance({}, 60'001);
  const Result last = theirs.try_lock("r", 60s);
  EXPECT_TRUE(last);
  EXPECT_FALSE(held->confirm());
}

TEST_F(InMemory, AnotherThreadIsHandedTheLockInLine) {
  Client mine(three());
  Result held = mine.try_lock("r", 60s);
  ASSERT_TRUE(held);
  bool got = false;
  std::jthread other([&] {
    Client theirs(three());
    const Result ours = theirs.lock("r", 60s, 20s);
    got = static_cast<bool>(ours);
  });
  ASSERT_TRUE(test::eventually([&] { return mine.inspect("r").majority.waiting == 1; }));
  const auto free = steady_clock::now();
  EXPECT_TRUE(held->release());
  other.join();
  EXPECT_TRUE(got);
  EXPECT_LT(steady_clock::now() - free, 1s);
}

TEST_F(InMemory, WhereAMajorityIsSilentNoMajorityCanBeAsked) {
  const std::vector<std::string> a_and_b{"a", "b"};
  Client mine(three());
  const Result first = mine.try_lock("first", 60s);
  ASSERT_TRUE(first);
  memory::set_mood(a_and_b, memory::Mood::silent);
  const Result refused = mine.try_lock("r", 60s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.refusal().decision, Decision::unreachable);
  memory::set_mood(a_and_b, memory::Mood::serves);
  EXPECT_TRUE(test::eventually([&] {
    const Result again = mine.try_lock("r", 60s);
    return static_cast<bool>(again);
  }));
}

TEST_F(InMemory, OneThatRefusesIsDoneWithout) {
  memory::set_mood(std::vector<std::string>{"c"}, memory::Mood::refuses);
  Client mine(three());
  const Result last = mine.try_lock("r", 60s);
  EXPECT_TRUE(last);
}

TEST_F(InMemory, WhereEveryServerRefusesThoseToComeDoToo) {
  memory::set_mood({}, memory::Mood::refuses);
  Client mine(three());
  const Result refused = mine.try_lock("r", 60s);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.refusal().decision, Decision::unreachable);
}

TEST_F(InMemory, ALockThatIsTakenAwayIsLostAndFree) {
  EXPECT_TRUE(lost_and_free_after([] { memory::take_away({}, "r"); }));
}

TEST_F(InMemory, ALockInAnotherDatabaseIsTakenAwayToo) {
  Client mine({"memory://a?database=2"});
  Result held = mine.try_lock("r", 60s);
  ASSERT_TRUE(held);
  memory::take_away({}, "r");
  EXPECT_FALSE(held->confirm());
}

TEST_F(InMemory, ServersThatForgotHaveNoLocksAndGiveNewOnes) {
  EXPECT_TRUE(lost_and_free_after([] { memory::forget({}); }));
}

TEST_F(InMemory, AChildBeginsWithEmptyServersAndItsParentsLeaseStays) {
  Client mine(three());
  Result held = mine.try_lock("r", 60s);
  ASSERT_TRUE(held);
  EXPECT_EQ(test::exit_status_of_child([&] {
              const bool inherited = held->confirm() || held->release();
              const Result own = mine.try_lock("r", 60s);
              return !inherited && own;
            }),
            0);
  EXPECT_TRUE(held->confirm());
}

// The sanitizer sees what has ended before.
TEST_F(InMemory, ALeaseMayEndBehindAllElseOfTheProgram) {
  EXPECT_EQ(test::exit_status_of_child([] {
              Client mine(three());
              last_to_end.emplace(mine.try_lock("r", 60s));
              if (*last_to_end) std::exit(0);
              return false;
            }),
            0);
}

// The sanitizer sees what is lost where a child ends by exit().
TEST_F(InMemory, AChildLosesNoneOfItsParentsConnections) {
  std::unique_ptr<memory::Link> link = memory::connect("a");
  EXPECT_EQ(test::exit_status_of_child([&link]() -> bool {
              link.reset();
              std::exit(0);
            }),
            0);
  EXPECT_FALSE(link->ended());
}

TEST_F(InMemory, AKeptLeaseIsExtendedThere) {
  Client mine(three());
  Result held = mine.try_lock("r", 600ms);
  ASSERT_TRUE(held);
  const KeepAlive kept = held->keep_alive(60s);
  const auto begin = steady_clock::now();
  EXPECT_TRUE(test::eventually([&] { return steady_clock::now() - begin > 1500ms; }));
  EXPECT_TRUE(held->confirm());
}

TEST_F(InMemory, OneThatFoundNoMemoryIsNotThere) {
  bool happened = true;
  for (std::size_t n = 0; happened; ++n) {
    happened =
        test::try_without(n, test::Shortage::once, [] { (void)memory::connect("a"); }).happened;
    memory::advance({}, 1);
    EXPECT_LE(memory::names().size(), 1U);
    memory::forget_all();
  }
}

TEST_F(InMemory, StartsOverWithoutWhatASilentServerHadNotRead) {
  memory::set_mood(std::vector<std::string>{"c"}, memory::Mood::silent);
  Client mine(three());
  const Result held = mine.try_lock("r", 60s);
  ASSERT_TRUE(held);
  memory::forget_all();
  EXPECT_EQ(memory::keys({}), std::vector<std::string>());
}

// What was not taken is never sent, and so has no undo.
TEST_F(InMemory, WhatIsNotTakenIsNotCarriedOutWithoutMemoryEither) {
  std::string requests;
  for (const std::string_view key : {"the first of two keys", "the second of two keys"}) {
    requests += "*3\r\n$5\r\nSETNX\r\n$" + std::to_string(key.size()) + "\r\n" + std::string(key) +
                "\r\n$1\r\nx\r\n";
  }
  bool happened = true;
  for (std::size_t n = 0; happened; ++n) {
    const std::unique_ptr<memory::Link> link = memory::connect("a");
    std::size_t taken = 0;
    happened =
        test::try_without(n, test::Shortage::once, [&] { taken = link->send(requests); }).happened;
    EXPECT_TRUE(taken > 0 || memory::keys({}).empty()) << "allocation " << n;
    EXPECT_EQ(link->ended(), happened);
    memory::forget_all();
  }
}

TEST_F(InMemory, DoesNotGrowWithLocksThatNobodyGaveBack) {
  const auto left_by = [](int locks, const std::string& ttl) {
    const std::ptrdiff_t before = test::allocations_alive();
    for (int i = 0; i < locks; ++i) {
      const std::unique_ptr<memory::Link> link = memory::connect("a");
      const std::string key = "a key of its own that is as long as others " + std::to_string(i);
      const std::string request = "*5\r\n$3\r\nSET\r\n$" + std::to_string(key.size()) + "\r\n" +
                                  key + "\r\n$1\r\nx\r\n$2\r\nPX\r\n$" +
                                  std::to_string(ttl.size()) + "\r\n" + ttl + "\r\n";
      EXPECT_EQ(link->send(request), request.size());
      memory::advance({}, 51);
    }
    return test::allocations_alive() - before;
  };
  EXPECT_LT(left_by(1000, "50"), 200);
  // Nor where there were many at once before it was emptied.
  const std::unique_ptr<memory::Link> stays = memory::connect("a");
  EXPECT_GT(left_by(1000, "99999999"), 900);
  memory::forget_all();
  EXPECT_LT(left_by(1000, "50"), 200);
}

TEST_F(InMemory, DoesNotGrowWithListenersThatHaveGone) {
  const std::unique_ptr<memory::Link> stays = memory::connect("a");
  const std::ptrdiff_t before = test::allocations_alive();
  for (int i = 0; i < 100; ++i) {
    const std::unique_ptr<memory::Link> link = memory::connect("a");
    const std::string channel =
        "a channel of its own that is as long as others " + std::to_string(100 + i);
    const std::string request = "*2\r\n$9\r\nSUBSCRIBE\r\n$50\r\n" + channel + "\r\n";
    EXPECT_EQ(link->send(request), request.size());
    std::array<char, 256> answer;
    EXPECT_GT(link->receive(answer), 0U);
  }
  EXPECT_LT(test::allocations_alive() - before, 20);
}

TEST_F(InMemory, IsNotMixedWithRealServers) {
  EXPECT_THROW(Client({"memory://a", "127.0.0.1", "memory://b"}), std::invalid_argument);
  EXPECT_THROW(Client({"memory://user:secret@a"}), std::invalid_argument);
  EXPECT_THROW(Client({"memory://a:6379"}), std::invalid_argument);
  EXPECT_THROW(Client({"memory://a", "memory://a"}), std::invalid_argument);
  EXPECT_NO_THROW(Client({"memory://"}));
}

}  // namespace
}  // namespace redlock::memory_test
