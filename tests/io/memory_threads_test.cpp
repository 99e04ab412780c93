// Servers of memory:// that several threads use at once, while a test lets things happen to them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "io/support/eventually.hpp"
#include "redlock/os/memory_servers.hpp"
#include "redlock/redlock.hpp"

namespace redlock::memory_threads_test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class InMemoryForTwoThreads : public testing::Test {
 protected:
  ~InMemoryForTwoThreads() override { memory::forget_all(); }
  static std::vector<std::string> three() { return {"memory://a", "memory://b", "memory://c"}; }

  // Takes the lock again and again, waiting for it or not, and keeps it alive or not.
  void take_turns(int thread) {
    Client client(three(), {.timeout = 30ms, .retry_delay = 10ms, .line = thread % 2 == 0});
    for (int turn = 0; !done_; ++turn) {
      Result held = client.lock("r", 10s, turn % 3 == 0 ? 0ms : 500ms);
      if (!held) continue;
      ++taken_;
      if (++holders_ > 1 && held->live()) ++shared_;
      if (turn % 2 == 0) {
        const KeepAlive kept = held->keep_alive(20s);
        std::this_thread::sleep_for(5ms);
      }
      --holders_;
      if (turn % 4 != 0) (void)held->release();
    }
  }
  template <class Deed>
  void meanwhile(const Deed& deed) {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) threads.emplace_back([this, i] { take_turns(i); });
    const auto began = steady_clock::now();
    for (int turn = 0; steady_clock::now() - began < 1s; ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(turn % 11));
      deed(turn);
    }
    memory::set_mood({}, memory::Mood::serves);
    const int before = taken_;
    EXPECT_TRUE(test::eventually([&] { return taken_ > before; })) << "nobody is served any more";
    done_ = true;
  }

  std::atomic<bool> done_ = false;
  std::atomic<int> taken_ = 0;
  std::atomic<int> holders_ = 0;
  std::atomic<int> shared_ = 0;
};

TEST_F(InMemoryForTwoThreads, OneAtATimeHasTheLockWhileServersComeAndGo) {
  meanwhile([](int turn) {
    constexpr std::array kMoods{memory::Mood::silent, memory::Mood::serves, memory::Mood::refuses,
                                memory::Mood::serves};
    const std::vector<std::string> names{"a", "b", "c"};
    const auto count = static_cast<std::size_t>(turn);
    // Each by itself, and all of them; every round it is the next mood for each.
    const std::size_t one = count % (names.size() + 1);
    const memory::Mood mood = kMoods[(count + count / (names.size() + 1)) % kMoods.size()];
    memory::set_mood(one == names.size() ? memory::Names() : memory::Names(&names[one], 1), mood);
  });
  EXPECT_EQ(shared_, 0);
}

TEST_F(InMemoryForTwoThreads, AllIsServedOnWhateverIsDoneToTheServers) {
  meanwhile([](int turn) {
    switch (turn % 6) {
      case 0:
        return memory::advance({}, 100);
      case 1:
        return memory::take_away({}, "r");
      case 2:
        return memory::forget({});
      case 3:
        return memory::set_mood({}, memory::Mood::silent);
      case 4:
        return memory::forget_all();
      default:
        EXPECT_LE(memory::keys({}).size(), 3U);
    }
  });
}

}  // namespace
}  // namespace redlock::memory_threads_test
