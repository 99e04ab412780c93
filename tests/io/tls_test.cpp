// Locks over TLS on real servers: what is granted, what is refused and why, and the ends of
// connections.
#include <gtest/gtest.h>
#include <openssl/opensslv.h>

#include <array>

#include "io/support/fault_proxy.hpp"
#include "io/support/fleet.hpp"
#include "io/support/hostile_server.hpp"
#include "io/support/temp_folder.hpp"
#include "io/support/tls_redis.hpp"
#include "support/child.hpp"

namespace redlock::tls_test {
namespace {

using test::Certificate;
using test::CertificateWish;
using test::eventually;
using test::Fleet;
using test::TlsRedis;
using test::TlsRedisSettings;

class OverTls : public Fleet {
 protected:
  struct Attempt {
    Decision decision;
    Fault fault = Fault::none;
    std::string reason;
  };
  static Attempt attempt(const ServerSpec& server, LockOptions options = once()) {
    Runtime runtime;
    LockManager locks(runtime.pool(), {server}, std::move(options));
    const Outcome outcome = lock(runtime, locks);
    const std::vector<ServerTrouble> troubles = locks.troubles(outcome);
    if (troubles.empty()) return {outcome.decision, Fault::none, {}};
    EXPECT_EQ(troubles[0].server, server.endpoint.display());
    return {outcome.decision, troubles[0].fault, troubles[0].reason};
  }
  // One that is to be granted, and leaves nothing behind.
  static void expect_granted(TlsRedis& redis, const ServerSpec& server) {
    const Attempt granted = attempt(server);
    EXPECT_EQ(granted.decision, Decision::granted) << granted.reason;
    EXPECT_EQ(redis.plain().say({"DEL", "r"}), "1");
  }
  static Attempt attempt_on(const TlsRedisSettings& settings) {
    const TlsRedis redis(settings);
    return attempt(redis.spec());
  }
  static TlsRedisSettings showing(const Certificate& shown) {
    TlsRedisSettings settings;
    settings.shown = std::make_shared<Certificate>(shown);
    return settings;
  }
  static void expect_refused(const Attempt& attempt, const std::string& words) {
    EXPECT_EQ(attempt.decision, Decision::unreachable);
    EXPECT_EQ(to_string(attempt.fault), "tls");
    EXPECT_NE(attempt.reason.find(words), std::string::npos) << attempt.reason;
  }
  static void step_for(Runtime& runtime, Duration span) {
    Clock& clock = runtime.pool().clock();
    const Instant until = clock.now() + span;
    while (clock.now() < until) runtime.pool().step(until);
  }
};

TEST_F(OverTls, ALockIsTakenExtendedAndGivenBack) {
  TlsRedis& redis = test::shared_tls_redis();
  Runtime runtime;
  LockManager locks(runtime.pool(), {redis.spec()}, once());
  for (int i = 0; i < 3; ++i) {
    const Outcome taken = lock(runtime, locks);
    ASSERT_EQ(taken.decision, Decision::granted);
    EXPECT_EQ(redis.plain().say({"GET", "r"}), taken.token.view());
    EXPECT_EQ(lock(runtime, locks).decision, Decision::denied);
    EXPECT_EQ(unlock(runtime, locks, taken.token).decision, Decision::granted);
    EXPECT_EQ(redis.plain().say({"GET", "r"}), "nil");
  }
}

TEST_F(OverTls, TheGreetingIsSaidThereAndNowhereElse) {
  TlsRedis& redis = test::shared_tls_redis();
  ServerSpec spec = redis.spec();
  spec.endpoint.database = 3;
  LockOptions options = once();
  options.client_name = "encrypted";
  Runtime runtime;
  LockManager locks(runtime.pool(), {spec}, options);
  ASSERT_EQ(lock(runtime, locks).decision, Decision::granted);
  const std::vector<std::string> clients = redis.plain().clients_named("encrypted");
  ASSERT_EQ(clients.size(), 1U);
  EXPECT_NE(clients[0].find(" db=3 "), std::string::npos);
  EXPECT_NE(clients[0].find(":" + std::to_string(redis.port()) + " "), std::string::npos);
}

TEST_F(OverTls, NamesThatDoNotFitOneRecordTravelWhole) {
  TlsRedis& redis = test::shared_tls_redis();
  Runtime runtime;
  LockManager locks(runtime.pool(), {redis.spec()}, once());
  const std::string big(kResourceBytesMax, 'x');
  for (int i = 0; i < 5; ++i) {
    const Outcome taken = lock(runtime, locks, big);
    ASSERT_EQ(taken.decision, Decision::granted);
    EXPECT_EQ(unlock(runtime, locks, taken.token, big).decision, Decision::granted);
  }
  EXPECT_EQ(redis.plain().say({"DBSIZE"}), "0");
}

TEST_F(OverTls, ByVersionOnePointTwo) {
  TlsRedisSettings settings;
  settings.lines = {"tls-protocols TLSv1.2"};
  EXPECT_EQ(attempt_on(settings).decision, Decision::granted);
}

TEST_F(OverTls, ACertificateThatHasExpired) {
  CertificateWish wish;
  wish.valid_from_hours = -48;
  wish.valid_to_hours = -1;
  expect_refused(attempt_on(showing(test::trusted_authority().issue(wish))), "has expired");
}

TEST_F(OverTls, ACertificateForAnotherHost) {
  CertificateWish wish;
  wish.names = "DNS:other.example";
  TlsRedis redis(showing(test::trusted_authority().issue(wish)));
  expect_refused(attempt(redis.spec()), "is not for 127.0.0.1");
  ServerSpec named = redis.spec();
  named.endpoint.tls->peer_name = "other.example";
  expect_granted(redis, named);
  ServerSpec unnamed = redis.spec();
  unnamed.endpoint.tls->verify_peer_name = false;
  expect_granted(redis, unnamed);
}

TEST_F(OverTls, ACertificateOfAnotherAuthority) {
  expect_refused(attempt_on(showing(Certificate::authority().issue())), "not trusted");
}

TEST_F(OverTls, ASelfSignedCertificate) {
  const TlsRedisSettings settings = showing(Certificate::self_signed());
  TlsRedis redis(settings);
  expect_refused(attempt(redis.spec()), "self-signed");
  ServerSpec named = redis.spec();
  named.endpoint.tls->cafile =
      test::write_file(test::temp_path("itself"), settings.shown->certificate_pem());
  expect_granted(redis, named);
  ServerSpec careless = redis.spec();
  careless.endpoint.tls->verify_peer = false;
  expect_granted(redis, careless);
}

TEST_F(OverTls, AServerThatWantsOurCertificateGetsItOrSaysSo) {
  for (const char* protocol : {"TLSv1.3", "TLSv1.2"}) {
    TlsRedisSettings settings;
    settings.wants_certificates = true;
    settings.lines = {std::string("tls-protocols ") + protocol};
    TlsRedis redis(settings);
    expect_refused(attempt(redis.spec()), "option local_cert");
    EXPECT_EQ(redis.plain().say({"DBSIZE"}), "0");
    const Certificate ours = test::trusted_authority().issue();
    ServerSpec known = redis.spec();
    known.endpoint.tls->local_cert =
        test::write_file(test::temp_path("ours"), ours.certificate_pem());
    known.endpoint.tls->local_pk =
        test::write_file(test::temp_path("key"), ours.key_pem("Secret1"));
    known.endpoint.tls->passphrase = "Secret1";
    expect_granted(redis, known);
    known.endpoint.tls->passphrase = "Secret2";
    const Attempt refused = attempt(known);
    expect_refused(refused, "encrypted with another passphrase");
    EXPECT_EQ(refused.reason.find("Secret"), std::string::npos);
  }
}

TEST_F(OverTls, AFileThatIsMissingIsThatServersFaultAlone) {
  ServerSpec broken = test::shared_tls_redis().spec();
  broken.endpoint.tls->cafile = "/no/such/authority";
  expect_refused(attempt(broken), "cafile /no/such/authority: No such file or directory");
  Runtime runtime;
  std::vector<ServerSpec> servers = specs(2);
  servers.push_back(broken);
  LockManager locks(runtime.pool(), servers, once());
  EXPECT_EQ(lock(runtime, locks).decision, Decision::granted);
}

TEST_F(OverTls, AServerThatIsNotThereIsToldLikeAnyOther) {
  const Attempt none = attempt(parse_server("rediss://127.0.0.1:1"));
  EXPECT_EQ(none.decision, Decision::unreachable);
  EXPECT_EQ(to_string(none.fault), "refused") << none.reason;
  EXPECT_EQ(none.reason, attempt(parse_server("redis://127.0.0.1:1")).reason);
}

TEST_F(OverTls, APlainServerOnThePortIsNamed) {
  const Attempt silent = attempt(TlsRedis::spec_at(server(0).port()), once(Duration::ms(100)));
  EXPECT_EQ(silent.decision, Decision::unreachable);
  EXPECT_EQ(silent.fault, Fault::timeout);
  EXPECT_NE(silent.reason.find("may not speak TLS"), std::string::npos) << silent.reason;
  const test::HostileServer web(test::Habit::says_web_page);
  const auto port = static_cast<std::uint16_t>(std::stoi(web.address().substr(10)));
  expect_refused(attempt(TlsRedis::spec_at(port)), "does not speak TLS");
}

TEST_F(OverTls, ATlsServerWherePlainIsMeantIsNamed) {
  const TlsRedis& redis = test::shared_tls_redis();
  const Attempt plain = attempt(parse_server("127.0.0.1:" + std::to_string(redis.port())));
  EXPECT_EQ(plain.decision, Decision::unreachable);
  EXPECT_NE(plain.reason.find("TLS"), std::string::npos) << plain.reason;
}

// At each of many bytes; the sooner half of the handshake is the server's, in one flight.
TEST_F(OverTls, AHandshakeThatStallsAnywhereIsATimeOutAndTheNextOneGoesOn) {
  TlsRedis& redis = test::shared_tls_redis();
  test::FaultProxy proxy(redis.port());
  const auto port = static_cast<std::uint16_t>(std::stoi(proxy.address().substr(10)));
  for (std::size_t at = 0; at <= 900; at += 75) {
    test::ProxyPlan plan;
    plan.hold_to_client = at;
    proxy.set_plan(plan);
    const Attempt stalled = attempt(TlsRedis::spec_at(port), once(Duration::ms(30)));
    if (stalled.decision == Decision::granted) continue;
    EXPECT_EQ(stalled.fault, Fault::timeout) << at;
    EXPECT_EQ(redis.plain().say({"DBSIZE"}), "0") << at;
  }
  proxy.set_plan({});
  EXPECT_EQ(attempt(TlsRedis::spec_at(port)).decision, Decision::granted);
}

TEST_F(OverTls, AConnectionThatIsCutAnywhereGrantsNothingAndLeavesNothingBehind) {
  TlsRedis& redis = test::shared_tls_redis();
  test::FaultProxy proxy(redis.port());
  const auto port = static_cast<std::uint16_t>(std::stoi(proxy.address().substr(10)));
  Runtime runtime;
  LockManager locks(runtime.pool(), {TlsRedis::spec_at(port)}, once());
  for (std::size_t at = 1; at <= 2000; at += 40) {
    test::ProxyPlan plan;
    (at % 80 == 1 ? plan.cut_to_client : plan.cut_to_server) = at;
    plan.slice = 7;
    proxy.set_plan(plan);
    const Outcome taken = lock(runtime, locks);
    if (taken.decision != Decision::granted) continue;
    EXPECT_EQ(redis.plain().say({"GET", "r"}), taken.token.view());
    unlock(runtime, locks, taken.token);
  }
  proxy.set_plan({});
  EXPECT_TRUE(eventually([&] {
    const Outcome taken = lock(runtime, locks, "other");
    if (taken.decision == Decision::granted) unlock(runtime, locks, taken.token, "other");
    return redis.plain().say({"DBSIZE"}) == "0";
  }));
}

TEST_F(OverTls, TheLastRemovalArrivesBeforeTheEnd) {
  TlsRedis& redis = test::shared_tls_redis();
  LockOptions options = once();
  options.client_name = "short";
  for (int i = 0; i < 20; ++i) {
    Runtime runtime;
    LockManager locks(runtime.pool(), {redis.spec()}, options);
    const Outcome taken = lock(runtime, locks);
    ASSERT_EQ(taken.decision, Decision::granted);
    EXPECT_EQ(unlock(runtime, locks, taken.token).decision, Decision::granted);
    // Nobody waits for what this answers.
    runtime.pool().collect(locks.begin_lock(Resource("other"), Duration::seconds(60)));
  }
  EXPECT_TRUE(eventually([&] { return redis.plain().clients_named("short").empty(); }));
  EXPECT_EQ(redis.plain().say({"GET", "other"}), "nil");
}

TEST_F(OverTls, WhoWaitsInLineIsHandedTheLock) {
  TlsRedis& redis = test::shared_tls_redis();
  Runtime holding;
  Runtime waiting;
  LockManager holder(holding.pool(), {redis.spec()}, once());
  LockManager waiter(waiting.pool(), {redis.spec()}, once());
  const Outcome held = lock(holding, holder);
  ASSERT_EQ(held.decision, Decision::granted);
  const OperationId id =
      waiter.begin_wait(Resource("r"), Duration::seconds(20), Duration::seconds(15), 20, {});
  const auto step_until = [&](const auto& condition) {
    return eventually([&] {
      step_for(waiting, Duration::ms(1));
      return condition();
    });
  };
  ASSERT_TRUE(step_until([&] { return redis.plain().say({"ZCARD", "r:redlock:line"}) == "1"; }));
  EXPECT_EQ(unlock(holding, holder, held.token).decision, Decision::granted);
  ASSERT_TRUE(step_until([&] { return waiting.pool().done(id); }));
  const Outcome handed = waiting.pool().collect(id);
  EXPECT_EQ(handed.decision, Decision::granted);
  EXPECT_TRUE(handed.handed_over);
}

TEST_F(OverTls, AChildNeitherEndsNorUsesItsParentsConnection) {
  TlsRedis& redis = test::shared_tls_redis();
  LockOptions options = once();
  options.client_name = "family";
  auto runtime = std::make_unique<Runtime>();
  auto locks = std::make_unique<LockManager>(runtime->pool(), std::vector{redis.spec()}, options);
  const Outcome taken = lock(*runtime, *locks);
  ASSERT_EQ(taken.decision, Decision::granted);
  const auto the_connection = [&] {
    const auto lines = redis.plain().clients_named("family");
    EXPECT_EQ(lines.size(), 1U);
    return lines.empty() ? "" : lines[0].substr(0, lines[0].find(" fd="));
  };
  const std::string before = the_connection();
  EXPECT_EQ(test::exit_status_of_child([&] {
              locks.reset();
              runtime.reset();
              return true;
            }),
            0);
  EXPECT_EQ(test::exit_status_of_child([&] {
              const Outcome own = lock(*runtime, *locks, "child's");
              return own.decision == Decision::granted &&
                     unlock(*runtime, *locks, own.token, "child's").decision == Decision::granted;
            }),
            0);
  EXPECT_TRUE(eventually([&] { return redis.plain().clients_named("family").size() == 1; }));
  EXPECT_EQ(unlock(*runtime, *locks, taken.token).decision, Decision::granted);
  EXPECT_EQ(the_connection(), before);
}

TEST_F(OverTls, AConnectionThatTheServerEndsIsMadeAnew) {
  TlsRedis& redis = test::shared_tls_redis();
  Runtime runtime;
  LockManager locks(runtime.pool(), {redis.spec()}, once());
  for (int i = 0; i < 3; ++i) {
    const Outcome taken = lock(runtime, locks);
    ASSERT_EQ(taken.decision, Decision::granted);
    redis.plain().ask({"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"});
    step_for(runtime, Duration::ms(20));
    EXPECT_EQ(unlock(runtime, locks, taken.token).decision, Decision::granted);
  }
}

// What the server says in a whole handshake, its certificate included, does not get through.
TEST_F(OverTls, AConnectionThatIsMadeAnewTakesUpTheSessionOfTheLastOne) {
  // From 3.5 on OpenSSL agrees on a key with ML-KEM, too, and the server's share is so much longer.
  constexpr std::size_t kLongerShare = OPENSSL_VERSION_NUMBER >= 0x30500000L ? 1088 : 0;
  constexpr std::size_t kWithoutItsCertificate = 650 + kLongerShare;
  const TlsRedis& redis = test::shared_tls_redis();
  test::FaultProxy proxy(redis.port());
  const auto port = static_cast<std::uint16_t>(std::stoi(proxy.address().substr(10)));
  test::ProxyPlan plan;
  plan.cut_to_client = kWithoutItsCertificate;
  proxy.set_plan(plan);
  EXPECT_EQ(attempt(TlsRedis::spec_at(port)).decision, Decision::unreachable);
  plan.cut_to_client = 3000 + kLongerShare;
  proxy.set_plan(plan);
  Runtime runtime;
  LockManager locks(runtime.pool(), {TlsRedis::spec_at(port)}, once());
  ASSERT_EQ(lock(runtime, locks, "first").decision, Decision::granted);
  // Until the proxy has had enough of this one.
  plan.cut_to_client = test::kUnlimited;
  plan.hold_to_client = kWithoutItsCertificate;
  proxy.set_plan(plan);
  ASSERT_TRUE(eventually([&] {
    static_cast<void>(lock(runtime, locks, "first"));
    return proxy.connection_count() == 3;
  }));
  step_for(runtime, kBackoffMax);
  const Outcome again = lock(runtime, locks, "again");
  EXPECT_EQ(again.decision, Decision::granted);
}

}  // namespace
}  // namespace redlock::tls_test
