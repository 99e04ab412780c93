// The machine that looks for a free slot, one event at a time.
#include "redlock/queue/permit_search.hpp"

#include <gtest/gtest.h>

#include <set>

#include "redlock/algorithm/validity.hpp"
#include "support/machine.hpp"
#include "support/seeded_entropy.hpp"

namespace redlock::permit_search_test {
namespace {

using test::drain;
using test::nodes_of;
using test::only;
using test::t;

using Nodes = std::vector<std::size_t>;
constexpr Duration kTtl = Duration::ms(1'000);
constexpr Duration kAnswerTime = Duration::ms(50);

// Of three slots.
Reply busy(const std::string& free) {
  const auto view = std::make_shared<PermitView>();
  for (std::size_t slot = 0; slot < free.size(); ++slot) view->free[slot] = free[slot] == '1';
  return Reply::denied(std::shared_ptr<const PermitView>(view));
}

class SearchForASlot : public testing::Test {
 protected:
  void begin(std::optional<std::size_t> first = 0,
             RetryPolicy retry = RetryPolicy::jittered(1, 0)) {
    const auto kind = std::make_shared<const QuorumKind>(Resource("r"), kTtl, kDriftFactorDefault);
    search_ = std::make_unique<PermitSearch>(test::answer_times(3, kAnswerTime),
                                             PermitKind{kind, 3}, retry, entropy_, first);
    search_->start(t(0));
    sent_ = drain(*search_);
  }
  void answer(std::initializer_list<Reply> replies, Instant now = t(1)) {
    const AttemptNumber attempt = sent_.back().attempt;
    std::size_t node = 0;
    for (const Reply& reply : replies) {
      search_->on_reply(NodeIndex(node++), attempt, reply, now);
    }
    sent_ = drain(*search_);
  }
  [[nodiscard]] TakeSlot tried() const {
    return std::get<TakeSlot>(*only<TakeSlot>(sent_).at(0).command);
  }
  [[nodiscard]] std::optional<Decision> decision() const {
    return search_->outcome() ? std::optional(search_->outcome()->decision) : std::nullopt;
  }

  test::SeededEntropy entropy_;
  std::unique_ptr<PermitSearch> search_;
  std::vector<Request> sent_;
};

TEST_F(SearchForASlot, TheOneThatIsWonIsNamed) {
  begin(1);
  EXPECT_EQ(nodes_of(only<TakeSlot>(sent_)), (Nodes{0, 1, 2}));
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:1"));
  EXPECT_EQ(tried().permits, 3U);
  answer({Reply::granted(), Reply::granted()}, t(5));
  ASSERT_EQ(decision(), Decision::granted);
  EXPECT_EQ(search_->outcome()->slot, Resources(Resource("r:redlock:slot:1")));
  EXPECT_EQ(search_->outcome()->validity, validity_of(kTtl, Duration::ms(5), kDriftFactorDefault));
}

TEST_F(SearchForASlot, ItBeginsWithAnyOfThem) {
  std::set<Resource> seen;
  for (int i = 0; i < 50; ++i) {
    begin(std::nullopt);
    seen.insert(tried().resources.only());
  }
  EXPECT_EQ(seen.size(), 3U);
}

TEST_F(SearchForASlot, ARefusedSlotIsLeftForOneThatAMajorityCallsFreeAtOnceAndWithAnotherToken) {
  begin(0);
  const Token before = tried().token;
  answer({busy("001"), busy("011")});
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:2"));
  EXPECT_NE(tried().token, before);
}

TEST_F(SearchForASlot, WhereAMajorityCallsNoneFreeItIsDenied) {
  begin(0);
  answer({busy("010"), busy("001"), busy("000")});
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(SearchForASlot, ASplitIsUndoneBeforeTheNextIsTried) {
  begin(0);
  const Token before = tried().token;
  answer({Reply::granted(), busy("010"), busy("010")});
  const auto undos = only<ReleaseAndHandOver>(sent_);
  ASSERT_FALSE(undos.empty());
  EXPECT_EQ(undos.at(0).node, NodeIndex(0));
  EXPECT_EQ(std::get<ReleaseAndHandOver>(*undos.at(0).command).token, before);
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:1"));
}

TEST_F(SearchForASlot, WhoGrantedTheSplitSlotDoesNotContradictThoseThatCallAnotherFree) {
  begin(0);
  const AttemptNumber attempt = sent_.back().attempt;
  search_->on_reply(NodeIndex(0), attempt, Reply::granted(), t(1));
  search_->on_reply(NodeIndex(1), attempt, busy("010"), t(1));
  search_->on_reply(NodeIndex(2), attempt, Reply::unknown(Fault::closed, "gone"), t(1));
  sent_ = drain(*search_);
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:1"));
}

TEST_F(SearchForASlot, TheOnlyFreeOneIsTriedAgainAfterAPauseWhereNobodyWonIt) {
  begin(0);
  answer({Reply::granted(), busy("000"), busy("100")}, t(4));
  EXPECT_EQ(decision(), std::nullopt);
  EXPECT_TRUE(only<TakeSlot>(sent_).empty());
  const Instant resume = search_->next_deadline().value();
  EXPECT_GE(resume, t(4));
  EXPECT_LE(resume, t(4) + Duration::ms(8));
  search_->on_time(resume);
  sent_ = drain(*search_);
  EXPECT_EQ(tried().resources, Resource("r:redlock:slot:0"));
}

TEST_F(SearchForASlot, ItTriesSoManyAtMost) {
  begin(0);
  int tries = 1;
  for (; !decision() && tries < 100; ++tries) {
    const std::string free = tried().resources == Resource("r:redlock:slot:1") ? "100" : "010";
    answer({busy(free), busy(free)});
  }
  EXPECT_EQ(tries, kSlotTriesMax + 1);
  EXPECT_EQ(decision(), Decision::denied);
}

TEST_F(SearchForASlot, WithoutAMajorityItIsUnreachable) {
  begin(0);
  const Reply gone = Reply::unknown(Fault::closed, "gone");
  answer({gone, busy("011"), gone});
  EXPECT_EQ(decision(), Decision::unreachable);
}

TEST_F(SearchForASlot, WhoPollsTriesAnyOneAgainAfterThePause) {
  begin(0, RetryPolicy::waiting(Duration::ms(1'000), 100));
  answer({busy("000"), busy("000")});
  EXPECT_EQ(decision(), std::nullopt);
  search_->on_time(search_->next_deadline().value());
  sent_ = drain(*search_);
  EXPECT_EQ(only<TakeSlot>(sent_).size(), 3U);
  answer({Reply::granted(), Reply::granted()}, search_->next_deadline().value());
}

TEST_F(SearchForASlot, WhoPollsTriesAsManyAfterEachPause) {
  begin(0, RetryPolicy::waiting(Duration::ms(100'000), 100));
  answer({busy("000"), busy("000")});
  const Instant resume = search_->next_deadline().value();
  search_->on_time(resume);
  sent_ = drain(*search_);
  int tries = 0;
  for (; !only<TakeSlot>(sent_).empty() && tries < 100; ++tries) {
    const std::string free = tried().resources == Resource("r:redlock:slot:1") ? "100" : "010";
    answer({busy(free), busy(free)}, resume);
  }
  EXPECT_EQ(tries, kSlotTriesMax);
}

TEST_F(SearchForASlot, WhatIsAbortedIsUndone) {
  begin(0);
  search_->abort(t(1));
  sent_ = drain(*search_);
  EXPECT_EQ(nodes_of(only<ReleaseAndHandOver>(sent_)), (Nodes{0, 1, 2}));
  EXPECT_EQ(decision(), Decision::aborted);
}

}  // namespace
}  // namespace redlock::permit_search_test
