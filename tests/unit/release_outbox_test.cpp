// Releases that found no memory when they were due.
#include "redlock/lease/release_outbox.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "support/allocations.hpp"
#include "support/child.hpp"
#include "support/fake_world.hpp"

namespace redlock::release_outbox_test {
namespace {

using test::FailingAllocations;
using test::FakeWorld;
using test::Shortage;

class Owing : public FakeWorld {
 protected:
  OutboxEntry taken(const std::string& resource) {
    Token token = lock(locks_, resource).token;
    return OutboxEntry(1, UnsentRelease{Resource(resource), std::move(token)});
  }
  bool is_free(const std::string& resource) {
    step_for(Duration::ms(5));
    return !server(0).keys.contains(resource);
  }

  LockManager locks_{manager(1)};
  AsyncReleases releases_;
  std::optional<ReleaseOutbox> owed_{std::in_place, locks_, releases_};
};

TEST_F(Owing, IsPaidOnDemandAndOnce) {
  owed_->add(taken("a"));
  owed_->add(taken("b"));
  EXPECT_FALSE(is_free("a"));
  owed_->pay();
  EXPECT_TRUE(is_free("a"));
  EXPECT_TRUE(is_free("b"));
  const std::size_t requests = server(0).log.size();
  owed_->pay();
  EXPECT_EQ(server(0).log.size(), requests);
}

TEST_F(Owing, WhatFindsNoMemoryAgainStaysOwed) {
  for (std::size_t n = 0;; ++n) {
    owed_->add(taken("r"));
    bool happened = false;
    {
      const FailingAllocations failing(n, Shortage::lasting);
      owed_->pay();
      happened = failing.happened();
    }
    owed_->pay();
    ASSERT_TRUE(is_free("r")) << n;
    if (!happened) break;
    ASSERT_LT(n, 200U);
  }
}

TEST_F(Owing, ItsEndPays) {
  owed_->add(taken("r"));
  owed_.reset();
  EXPECT_TRUE(is_free("r"));
}

TEST_F(Owing, AChildPaysNothingOfItsParent) {
  owed_->add(taken("parents"));
  EXPECT_EQ(test::exit_status_of_child([&] {
              const std::size_t requests = server(0).log.size();
              owed_->pay();
              if (server(0).log.size() != requests) return false;
              owed_->add(taken("own"));
              owed_->pay();
              return is_free("own") && !is_free("parents");
            }),
            0);
  owed_->pay();
  EXPECT_TRUE(is_free("parents"));
}

}  // namespace
}  // namespace redlock::release_outbox_test
