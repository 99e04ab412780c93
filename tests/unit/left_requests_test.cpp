// What one step leaves for the next to send.
#include "redlock/queue/left_requests.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <new>
#include <optional>

namespace redlock::left_requests_test {
namespace {

Request release_at(std::size_t node) {
  const auto command =
      std::make_shared<const Command>(ReleaseAndHandOver{Resource("r"), Token("t")});
  return {NodeIndex(node), 1, command, {}, false};
}

TEST(LeftRequestsTest, AllThatAStepStillGivesIsTakenInItsOrder) {
  std::deque<Request> left;
  std::size_t given = 0;
  take_over(left,
            [&given] { return given < 3 ? std::optional(release_at(given++)) : std::nullopt; });
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(take_first(left).value().node, NodeIndex(i));
  EXPECT_FALSE(take_first(left));
}

TEST(LeftRequestsTest, WhereAStepThrowsWhatItGaveBeforeStaysAndNothingElse) {
  std::deque<Request> left;
  bool gave = false;
  const auto next = [&gave]() -> std::optional<Request> {
    if (gave) throw std::bad_alloc();
    gave = true;
    return release_at(0);
  };
  EXPECT_THROW(take_over(left, next), std::bad_alloc);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_NE(left.front().command, nullptr);
}

}  // namespace
}  // namespace redlock::left_requests_test
