// A lock that was just taken, as the renewal of leases wants to be told of it.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "redlock/lease/renewal_scheduler.hpp"

namespace redlock::test {

inline KeptLease kept_lease(std::shared_ptr<const LockPlan> plan, const std::string& resource,
                            const Outcome& taken, Instant taken_at, RenewalTerms terms,
                            std::shared_ptr<LossListener> listener = nullptr) {
  EXPECT_EQ(taken.decision, Decision::granted);
  const Instant until = taken.decided_at + taken.validity;
  return {std::move(plan),
          Resource(resource),
          taken.token,
          terms,
          taken_at,
          until,
          std::make_shared<LeaseDeadline>(until),
          std::move(listener)};
}

}  // namespace redlock::test
