// Servers that close the connection at CLIENT SETNAME, as some proxies do: they are asked without a
// name, and nobody who asks notices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/listeners_fixture.hpp"

namespace redlock::nameless_test {
namespace {

using test::Arguments;
using test::ListenersTest;
using testing::ElementsAre;

class NamelessTest : public ListenersTest {
 protected:
  NamelessTest() { hang_up_at_the_name(true); }

  void hang_up_at_the_name(bool hangs_up) {
    for (std::size_t i = 0; i < 3; ++i) {
      server(i).hangs_up_at.clear();
      if (hangs_up) server(i).hangs_up_at.insert("CLIENT");
    }
  }
  static LockOptions named() {
    LockOptions options = once();
    options.client_name = "worker-7";
    return options;
  }
  void drop_connections() {
    for (std::size_t i = 0; i < 3; ++i) transport_.drop_connections(server(i));
    // So that the next call looks.
    clock_.advance(Duration::seconds(1));
  }
  // The verbs that the first server got since this was asked last.
  std::vector<std::string> verbs() {
    std::vector<std::string> verbs;
    for (const Arguments& request : server(0).log) verbs.push_back(request.front());
    server(0).log.clear();
    return verbs;
  }

  LockManager locks_{pool_, specs(3), named()};
};

TEST_F(NamelessTest, TheFirstAttemptIsGrantedAllTheSame) {
  const Outcome outcome = lock(locks_);
  EXPECT_EQ(outcome.decision, Decision::granted);
  EXPECT_THAT(verbs(), ElementsAre("SET"));
  EXPECT_EQ(unlock(locks_, outcome.token).decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, 2U);
}

TEST_F(NamelessTest, TheNameTravelsWithTheCommandWhereTheServerHasTakenItBefore) {
  hang_up_at_the_name(false);
  ASSERT_EQ(lock(locks_).decision, Decision::granted);
  step_for(Duration::ms(1));
  drop_connections();
  for (std::size_t i = 0; i < 3; ++i) server(i).answer_time = Duration::ms(10);
  verbs();
  const OperationId id = locks_.begin_lock(Resource("s"), Duration::ms(10'000));
  step_for(Duration::ms(5));
  EXPECT_THAT(verbs(), ElementsAre("CLIENT", "SET"));
  EXPECT_EQ(pool_.run(id).decision, Decision::granted);
}

TEST_F(NamelessTest, TheNextConnectionsGoWithoutAtOnce) {
  ASSERT_EQ(lock(locks_).decision, Decision::granted);
  step_for(Duration::ms(1));
  ASSERT_EQ(server(0).connections_opened, 2U);
  drop_connections();
  ASSERT_EQ(lock(locks_, "s").decision, Decision::granted);
  EXPECT_EQ(server(0).connections_opened, 3U);
}

TEST_F(NamelessTest, SoDoesTheOneToListenOn) {
  ASSERT_EQ(lock(locks_).decision, Decision::granted);
  step_for(Duration::ms(1));
  verbs();
  Endpoint endpoint = parse_server(name(0)).endpoint;
  endpoint.client_name = "worker-7";
  listen_to(told_, {pool_.node(endpoint, kTimeoutDefault)});
  step_for(Duration::ms(1));
  EXPECT_NE(told_.channel(0), "");
  EXPECT_EQ(server(0).connections_opened, 3U);
  EXPECT_THAT(verbs(), ElementsAre("SUBSCRIBE"));
}

TEST_F(NamelessTest, ThePasswordAndTheDatabaseAreSaidAgain) {
  std::vector<ServerSpec> servers = specs(3);
  for (ServerSpec& spec : servers) {
    spec.endpoint.password = "secret";
    spec.endpoint.database = 1;
  }
  LockManager locks(pool_, servers, named());
  ASSERT_EQ(lock(locks).decision, Decision::granted);
  EXPECT_THAT(verbs(), ElementsAre("AUTH", "AUTH", "SELECT", "SET"));
}

TEST_F(NamelessTest, AServerThatIsGoneByThenIsToldTheNameWhenItIsBack) {
  for (std::size_t i = 0; i < 3; ++i) server(i).hangs_up_at.insert("EVAL");
  ASSERT_EQ(lock(locks_).decision, Decision::unreachable);
  hang_up_at_the_name(false);
  clock_.advance(kBackoffMax);
  verbs();
  ASSERT_EQ(lock(locks_).decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_THAT(verbs(), testing::Contains("CLIENT"));
}

TEST_F(NamelessTest, TheNameIsToldAgainAfterAWhile) {
  ASSERT_EQ(lock(locks_).decision, Decision::granted);
  step_for(Duration::ms(1));
  hang_up_at_the_name(false);
  drop_connections();
  clock_.advance(kNameLeftOutFor);
  verbs();
  ASSERT_EQ(lock(locks_, "s").decision, Decision::granted);
  step_for(Duration::ms(1));
  EXPECT_THAT(verbs(), testing::Contains("CLIENT"));
}

TEST_F(NamelessTest, AServerThatDoesNotTakeItAnyMoreIsDoneWithoutFromTheNextAttemptOn) {
  hang_up_at_the_name(false);
  ASSERT_EQ(lock(locks_).decision, Decision::granted);
  step_for(Duration::ms(1));
  drop_connections();
  hang_up_at_the_name(true);
  // What travelled with the name may have been carried out.
  EXPECT_EQ(lock(locks_, "s").decision, Decision::unreachable);
  clock_.advance(kBackoffMax);
  EXPECT_EQ(lock(locks_, "s").decision, Decision::granted);
}

TEST_F(NamelessTest, AServerThatNeverAnswersIsGivenUpInTime) {
  for (std::size_t i = 0; i < 3; ++i) server(i).hangs_up_at.insert("EVAL");
  EXPECT_LE(time_of([&] { EXPECT_EQ(lock(locks_).decision, Decision::unreachable); }),
            kTimeoutDefault);
}

}  // namespace
}  // namespace redlock::nameless_test
