// The API of C++ users on real servers: what servers say of themselves, and whether locks can be
// had there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "io/support/clients_on_servers.hpp"

namespace redlock::client_examine_test {
namespace {

using namespace std::chrono_literals;
using test::ClientOnServers;
using testing::AnyOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

class ClientExamine : public ClientOnServers {
 protected:
  static const Trial& trial(const ServerReport& report, std::string_view deed) {
    static const Trial kNone{"none", Fault::none, {}};
    const auto found = std::ranges::find(report.trials, deed, &Trial::deed);
    EXPECT_NE(found, report.trials.end()) << deed;
    return found == report.trials.end() ? kNone : *found;
  }
  // As a user who may do what these rules say.
  static ServerReport examined_by(const std::vector<std::string>& rules,
                                  std::string_view prefix = {}) {
    test::Arguments user{"ACL", "SETUSER", "somebody", "reset", "on", ">p"};
    user.insert(user.end(), rules.begin(), rules.end());
    EXPECT_EQ(server(0).say(user), "OK");
    Client client({"redis://somebody:p@" + server(0).address()}, patient());
    ServerReport report = client.examine(prefix).at(0);
    server(0).say({"ACL", "DELUSER", "somebody"});
    return report;
  }
};

TEST_F(ClientExamine, AFitServerSaysWhoItIsAndDoesAllThatLocksNeed) {
  for (const ServerReport& report : client_.examine()) {
    EXPECT_EQ(report.fault, Fault::none) << report.reason;
    EXPECT_THAT(report.facts.software, AnyOf("redis", "valkey"));
    EXPECT_THAT(report.facts.version, HasSubstr("."));
    EXPECT_EQ(report.facts.role, "master");
    EXPECT_EQ(report.facts.mode, "standalone");
    EXPECT_EQ(report.facts.memory_policy, "noeviction");
    EXPECT_EQ(report.facts.appends, false);
    EXPECT_EQ(report.facts.saves, false);
    EXPECT_EQ(report.facts.loading, false);
    ASSERT_TRUE(report.facts.round_trip_us && report.facts.clock_ahead_us);
    // Both clocks are this machine's.
    EXPECT_LT(std::abs(*report.facts.clock_ahead_us), 1'000'000);
    EXPECT_THAT(report.trials,
                ElementsAre(Field(&Trial::deed, "take"), Field(&Trial::deed, "extend"),
                            Field(&Trial::deed, "inspect"), Field(&Trial::deed, "release"),
                            Field(&Trial::deed, "wait")));
    for (const Trial& trial : report.trials) {
      EXPECT_EQ(trial.fault, Fault::none) << trial.deed << ": " << trial.reason;
    }
  }
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(server(i).say({"DBSIZE"}), "0");
}

TEST_F(ClientExamine, ServersThatAreDownAreToldBesideTheOthers) {
  Client client({"127.0.0.1:1", server(0).address()}, patient());
  const auto reports = client.examine();
  EXPECT_EQ(reports[0].server, "127.0.0.1:1");
  EXPECT_EQ(reports[0].fault, Fault::refused);
  EXPECT_THAT(reports[0].trials, IsEmpty());
  EXPECT_EQ(reports[1].fault, Fault::none);
}

TEST_F(ClientExamine, AWrongPasswordIsTold) {
  Client client({"redis://nobody:wrong@" + server(0).address()}, patient());
  EXPECT_EQ(client.examine().at(0).fault, Fault::auth);
}

TEST_F(ClientExamine, AUserWhoMayNotListenLearnsThatNobodyCanStandInLine) {
  const ServerReport report = examined_by({"~*", "+@all", "resetchannels"});
  EXPECT_EQ(trial(report, "take").fault, Fault::none);
  EXPECT_EQ(trial(report, "release").fault, Fault::none);
  EXPECT_EQ(trial(report, "wait").fault, Fault::acl);
  EXPECT_THAT(trial(report, "wait").reason, HasSubstr("NOPERM"));
}

TEST_F(ClientExamine, AUserWhoMayNotRunScriptsLearnsWhatHeCannotDo) {
  const auto began = std::chrono::steady_clock::now();
  const ServerReport report = examined_by({"~*", "&*", "+@all", "-@scripting"});
  EXPECT_EQ(trial(report, "take").fault, Fault::scripts);
  EXPECT_THAT(trial(report, "take").reason, HasSubstr("+eval +evalsha"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 15s)
      << "the trial lock itself lives for 30 s";
}

TEST_F(ClientExamine, TheTrialLockHasTheNameThatTheUserMayUse) {
  const std::vector<std::string> rules{"~lock:*", "&*", "+@all"};
  EXPECT_EQ(trial(examined_by(rules), "take").fault, Fault::acl);
  const ServerReport report = examined_by(rules, "lock:");
  EXPECT_EQ(trial(report, "wait").fault, Fault::none) << trial(report, "wait").reason;
  EXPECT_EQ(report.facts.user, "somebody");
}

TEST_F(ClientExamine, WhatAServerRefusesToSayIsToldAndEndsNothing) {
  const ServerReport report =
      examined_by({"~*", "&*", "+@all", "-config", "-role", "-time", "-info"});
  EXPECT_EQ(report.fault, Fault::none);
  EXPECT_THAT(report.facts.untold, testing::Contains(HasSubstr("CONFIG GET save: ")));
  EXPECT_EQ(report.facts.version, "");
  EXPECT_EQ(report.facts.round_trip_us, std::nullopt);
  EXPECT_EQ(trial(report, "take").fault, Fault::none);
}

TEST_F(ClientExamine, AReplicaIsToldAsOne) {
  server(1).say({"REPLICAOF", "127.0.0.1", "1"});
  const ServerReport report = client_.examine().at(1);
  server(1).say({"REPLICAOF", "NO", "ONE"});
  EXPECT_EQ(report.facts.role, "replica");
  EXPECT_EQ(trial(report, "take").fault, Fault::readonly);
}

TEST_F(ClientExamine, APrefixIsBounded) {
  EXPECT_THROW((void)client_.examine(std::string(65'536, 'p')), std::invalid_argument);
}

}  // namespace
}  // namespace redlock::client_examine_test
