// A stamp is written down in full or not at all, and then given back, whatever memory runs out.
#include <gtest/gtest.h>

#include "redlock/locks/stamp_lock_manager.hpp"
#include "support/allocations.hpp"
#include "support/fake_world.hpp"

namespace redlock::stamp_shortage_test {
namespace {

constexpr Duration kLease = Duration::ms(1'000);
const Resources kKey(Resource("lock_pid:7"));
// Too long to be kept without an allocation of its own.
const std::string kStamp = "1700000000000.12345678901234567890";

Instant at_ms(std::int64_t ms) { return Instant() + Duration::ms(ms); }

// Taken at a moment, for 10 ms, and known to the server for 15.
StampLedger::Entry entry(const std::string& stamp, std::int64_t taken_ms) {
  return {Token(stamp), at_ms(taken_ms), at_ms(taken_ms + 10), at_ms(taken_ms + 15)};
}

class ShortOfMemoryAStamp : public test::FakeWorld {
 protected:
  StampLedger ledger_;
};

TEST(ShortOfMemoryTheLedger, KeepsNothingForEver) {
  const std::string server = "a server whose name needs memory";
  std::size_t failures = 0;
  for (std::size_t n = 0;; ++n) {
    StampLedger ledger;
    bool happened = false;
    try {
      const test::FailingAllocations failing(n, test::Shortage::once);
      ledger.write(server, kKey, entry(kStamp, 0), at_ms(0));
      happened = failing.happened();
    } catch (const std::bad_alloc&) {
      happened = true;
      EXPECT_EQ(ledger.size(), 0U) << n;
    }
    // Whatever is kept leaves when no server can know it any more.
    for (int i = 1; i < 4; ++i)
      ledger.write("b", Resource(std::to_string(i)), entry("2.2", 100), at_ms(100));
    EXPECT_EQ(ledger.find(server, kKey), nullptr) << n;
    if (!happened) break;
    ++failures;
  }
  EXPECT_GE(failures, 2U);
}

TEST_F(ShortOfMemoryAStamp, ThatCannotBeNotedIsGivenBack) {
  StampLockManager locks(pool_, ledger_, specs(1)[0], {});
  std::size_t failures = 0;
  for (std::size_t n = 0;; ++n) {
    const OperationId id = locks.begin_lock(kKey, kLease, {}, RetryPolicy::exact(1, Duration()));
    while (!pool_.done(id)) pool_.step(Instant::never());
    bool happened = false;
    try {
      const test::FailingAllocations failing(n, test::Shortage::once);
      const Outcome taken = locks.collect_lock(id, kKey, Caller::waits);
      happened = failing.happened();
      // What is not thrown has been done.
      EXPECT_EQ(taken.decision, Decision::granted) << n;
    } catch (const std::bad_alloc&) {
      happened = true;
      EXPECT_TRUE(server(0).keys.empty()) << n;
    }
    if (!happened) break;
    ++failures;
    if (auto release = locks.begin_release(kKey, Duration())) pool_.run(*release);
    ledger_.clear();
    EXPECT_TRUE(server(0).keys.empty()) << n;
  }
  EXPECT_GE(failures, 2U);
}

}  // namespace
}  // namespace redlock::stamp_shortage_test
