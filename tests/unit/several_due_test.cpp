// Several operations that are due in one turn of the loop, on the same connections.
#include <gtest/gtest.h>

#include "support/fake_world.hpp"

namespace redlock::several_due_test {
namespace {

class SeveralDue : public test::FakeWorld {
 protected:
  LockManager manager_of(std::initializer_list<std::size_t> servers, RetryPolicy retry) {
    std::vector<ServerSpec> specs;
    for (const std::size_t i : servers) specs.push_back(parse_server(name(i)));
    LockOptions options;
    options.retry = retry;
    options.timeout = Duration::ms(50);
    options.connect_timeout = options.timeout;
    return {pool_, specs, options};
  }
  void hold(const std::string& resource, std::initializer_list<std::size_t> servers) {
    for (const std::size_t i : servers) server(i).keys[resource] = "somebody else's";
  }
};

// The first finds a connection overdue and closes it, and leaves its server alone; a later one
// looks at all that are open.
TEST_F(SeveralDue, AConnectionThatOneOfThemHasClosedIsNotLookedAtForTheNext) {
  const RetryPolicy again = RetryPolicy::exact(2, Duration::ms(50));
  LockManager closing = manager_of({0, 1, 2}, again);
  LockManager opening = manager_of({3, 4, 2}, RetryPolicy::exact(1, Duration()));
  LockManager looking = manager_of({5}, again);
  server(2).reach = test::FakeServer::Reach::refuses;
  ASSERT_EQ(lock(closing, "refused there").decision, Decision::granted);
  server(2).reach = test::FakeServer::Reach::accepts;
  server(2).connect_time = Duration::ms(100);
  hold("a", {0, 1, 5});
  server(3).stopped = true;
  const OperationId first = closing.begin_lock(Resource("a"), Duration::ms(10'000));
  // Needs its third server when the first is given up, which is too late: nobody took a turn
  // before.
  const OperationId split = opening.begin_lock(Resource("b"), Duration::ms(10'000));
  const OperationId last = looking.begin_lock(Resource("a"), Duration::ms(10'000));
  step_for(Duration::ms(1));
  clock_.advance(Duration::ms(50));
  for (const OperationId id : {first, split, last}) {
    EXPECT_NE(pool_.run(id).decision, Decision::granted) << id;
  }
}

}  // namespace
}  // namespace redlock::several_due_test
