// What the answer to a call of the C++ users' API can be asked, and when.
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "redlock/redlock.hpp"

namespace redlock::result_test {
namespace {

template <class R>
concept IsAskedForItsLease = requires(R&& result) { std::forward<R>(result).operator->(); };
template <class R>
concept IsACondition = requires(R&& result) { std::forward<R>(result) ? 1 : 0; };

TEST(AResult, ThatIsKeptIsAskedForItsLease) {
  EXPECT_TRUE(IsAskedForItsLease<Result&>);
  EXPECT_TRUE(IsAskedForItsLease<const Result&>);
  EXPECT_TRUE(IsACondition<Result&>);
  EXPECT_TRUE(IsACondition<const Result&>);
}

TEST(AResult, ThatNobodyKeepsIsNot) {
  EXPECT_FALSE(IsAskedForItsLease<Result>);
  EXPECT_FALSE(IsAskedForItsLease<const Result>);
  EXPECT_FALSE(IsACondition<Result>);
  EXPECT_FALSE(IsACondition<const Result>);
}

}  // namespace
}  // namespace redlock::result_test
