// Five real servers, shared by the tests of this program and reset before each.
#pragma once
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/support/eventually.hpp"
#include "io/support/redis_server.hpp"
#include "redlock/locks/lock_manager.hpp"
#include "redlock/locks/runtime.hpp"
#include "redlock/locks/stamp_lock_manager.hpp"

namespace redlock::test {

inline constexpr std::size_t kFleetSize = 5;
// Servers of the tests may take long where no test wants them late: a busy machine fails nothing.
inline constexpr Duration kPatience = Duration::seconds(5);

class Fleet : public testing::Test {
 protected:
  static void SetUpTestSuite();
  void SetUp() override;

  static RedisServer& server(std::size_t i) { return *servers()[i]; }
  static std::vector<ServerSpec> specs(std::size_t count);
  // One attempt, and servers that may take `timeout`.
  static LockOptions once(Duration timeout = kPatience);
  static Outcome lock(Runtime& runtime, LockManager& locks, const std::string& resource = "r",
                      Duration ttl = Duration::seconds(60));
  static Outcome unlock(Runtime& runtime, LockManager& locks, const Token& token,
                        const std::string& resource = "r");
  // The value under a key on each of the first `count` servers; "nil" where there is none.
  static std::vector<std::string> values(std::size_t count, const std::string& key = "r");
  // Two of the first three servers hold it under "r". The third may not know yet: what a call sends
  // to a server that it did not have to wait for leaves with the next call.
  static bool two_of_three_hold(std::string_view value);

 private:
  static std::vector<std::unique_ptr<RedisServer>>& servers();
};

// How long something takes on the machine's clock, in milliseconds.
template <class Call>
double real_ms(Call call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  return took.count();
}

}  // namespace redlock::test
