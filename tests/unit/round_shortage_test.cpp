// A vote is counted in full, also where there is no memory left.
#include <gtest/gtest.h>

#include "redlock/algorithm/round.hpp"
#include "support/allocations.hpp"
#include "support/machine.hpp"

namespace redlock::round_shortage_test {
namespace {

using test::FailingAllocations;
using test::Shortage;
using test::t;

// Too long to be kept without an allocation of its own.
const std::string kStamp = "1700000000000.12345678901234567890";

TEST(ShortOfMemoryARound, CountsAGrantAndWhatItCameWith) {
  const auto times = std::make_shared<const std::vector<Duration>>(1, Duration::ms(50));
  Round round(times, QuorumRule::majority(1),
              std::make_shared<const Command>(StampAcquire{Resource("k"), Token("7"), {}}), 1,
              t(0));
  ASSERT_TRUE(round.next_request());
  Reply reply = Reply::granted(Token(kStamp));
  {
    const FailingAllocations failing(0, Shortage::once);
    EXPECT_TRUE(round.on_reply(NodeIndex(0), 1, std::move(reply)));
  }
  EXPECT_EQ(round.grants(), Verdict::won);
  EXPECT_EQ(std::get<Token>(round.granted_payload()), Token(kStamp));
}

}  // namespace
}  // namespace redlock::round_shortage_test
