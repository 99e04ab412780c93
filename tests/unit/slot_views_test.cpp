// Which slots a quorum calls free.
#include "redlock/queue/slot_views.hpp"

#include <gtest/gtest.h>

namespace redlock::slot_views_test {
namespace {

const QuorumRule kTwoOfThree = QuorumRule::majority(3);

Reply free_are(std::initializer_list<std::size_t> slots) {
  const auto view = std::make_shared<PermitView>();
  for (const std::size_t slot : slots) view->free.set(slot);
  return Reply::denied(std::shared_ptr<const PermitView>(view));
}

SlotSet set_of(std::initializer_list<std::size_t> slots) {
  SlotSet set;
  for (const std::size_t slot : slots) set.set(slot);
  return set;
}

TEST(SlotViewsTest, FreeIsWhatAMajorityCallsFree) {
  SlotViews views(3);
  views.note(NodeIndex(0), free_are({1, 2}));
  EXPECT_EQ(views.free(kTwoOfThree), set_of({}));
  views.note(NodeIndex(1), free_are({2, 3}));
  EXPECT_EQ(views.free(kTwoOfThree), set_of({2}));
  views.note(NodeIndex(2), free_are({3}));
  EXPECT_EQ(views.free(kTwoOfThree), set_of({2, 3}));
}

TEST(SlotViewsTest, TheLatestWordCounts) {
  SlotViews views(3);
  for (const std::size_t node : {0U, 1U, 2U}) views.note(NodeIndex(node), free_are({1}));
  views.note(NodeIndex(0), free_are({}));
  views.note(NodeIndex(1), Reply::unknown(Fault::closed, "gone"));
  EXPECT_EQ(views.free(kTwoOfThree), set_of({}));
  EXPECT_EQ(views.known(), 2U);
  views.forget();
  EXPECT_EQ(views.known(), 0U);
}

TEST(SlotViewsTest, WhoGrantedTheTrySaysThatItIsFreeAndContradictsNoOther) {
  SlotViews views(3);
  const std::vector<NodeReport> tried{{true, Reply::granted()}, {true, free_are({1})}, {}};
  views.note(tried, 0);
  EXPECT_EQ(views.free(kTwoOfThree), set_of({1}));
  views.note(NodeIndex(2), free_are({0}));
  EXPECT_EQ(views.free(kTwoOfThree), set_of({0, 1}));
}

TEST(SlotViewsTest, TheFreeOnesAreCountedFromTheFirst) {
  EXPECT_EQ(nth_free(set_of({4, 7, 1023}), 0), 4U);
  EXPECT_EQ(nth_free(set_of({4, 7, 1023}), 1), 7U);
  EXPECT_EQ(nth_free(set_of({4, 7, 1023}), 2), 1023U);
}

}  // namespace
}  // namespace redlock::slot_views_test
