// A vote is counted in full or not at all, whatever memory runs out in between.
#include <gtest/gtest.h>

#include "redlock/algorithm/round.hpp"
#include "support/allocations.hpp"
#include "support/machine.hpp"

namespace redlock {
namespace {

using test::FailingAllocations;
using test::Shortage;
using test::t;

// Too long to be kept without an allocation of its own.
const std::string kStamp = "1700000000000.12345678901234567890";

TEST(ShortOfMemoryARound, DoesNotCountAGrantWhoseTextItCouldNotKeep) {
  const auto times = std::make_shared<const std::vector<Duration>>(1, Duration::ms(50));
  Round round(times, std::make_shared<const Command>(StampTake{Resource("k"), Token("7"), {}}), 1,
              t(0));
  ASSERT_TRUE(round.next_request());
  Reply reply = Reply::granted(kStamp);
  {
    const FailingAllocations failing(0, Shortage::once);
    EXPECT_THROW(round.on_reply(NodeIndex(0), 1, std::move(reply)), std::bad_alloc);
  }
  EXPECT_EQ(round.grants(), Verdict::pending);
  EXPECT_TRUE(round.may_hold(NodeIndex(0)));
  EXPECT_TRUE(round.on_reply(NodeIndex(0), 1, Reply::granted(kStamp)));
  EXPECT_EQ(round.grants(), Verdict::won);
  EXPECT_EQ(round.granted_text(), kStamp);
}

}  // namespace
}  // namespace redlock
