// A server's address and credentials, checked part by part.
#include "redlock/config/endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/refusal.hpp"

namespace redlock::endpoint_test {
namespace {

using testing::HasSubstr;

ServerFields fields(const std::string& host) {
  ServerFields fields;
  fields.host = host;
  return fields;
}

std::string refusal(const ServerFields& fields) {
  return test::refusal([&] { static_cast<void>(make_server(fields)); });
}

TEST(MakeServer, FillsInWhatIsUsual) {
  const ServerSpec server = make_server(fields("redis.example"));
  EXPECT_EQ(server.endpoint.port, 6379);
  EXPECT_EQ(server.endpoint.database, 0U);
  EXPECT_EQ(server.timeout, std::nullopt);
  EXPECT_EQ(server.endpoint.password, "");
}

TEST(MakeServer, AcceptsThePortsFromOneTo65535) {
  for (const std::int64_t port : {1, 65'535}) {
    ServerFields given = fields("h");
    given.port = port;
    EXPECT_EQ(make_server(given).endpoint.port, port);
  }
  for (const std::int64_t port : {std::int64_t{0}, std::int64_t{65'536}, std::int64_t{70'000},
                                  std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()}) {
    ServerFields given = fields("h");
    given.port = port;
    EXPECT_EQ(refusal(given),
              "port must be between 1 and 65535, " + std::to_string(port) + " given");
  }
}

TEST(MakeServer, RefusesHostsThatCannotBeOne) {
  EXPECT_THAT(refusal(fields("")), HasSubstr("host must not be empty"));
  EXPECT_THAT(refusal(fields("a b")), HasSubstr("host must not contain"));
  EXPECT_THAT(refusal(fields("a\nb")), HasSubstr("host must not contain"));
  EXPECT_THAT(refusal(fields(std::string("a\0b", 3))), HasSubstr("host must not contain"));
  EXPECT_THAT(refusal(fields(std::string(256, 'a'))), HasSubstr("255"));
  EXPECT_EQ(refusal(fields(std::string(255, 'a'))), "accepted");
}

TEST(MakeServer, AHostHasColonsAsAnIPv6AddressOnly) {
  for (const char* host : {"127.0.0.1:6379", "h:1", "::1:18101", "[::1]", "u:p", "fe80::1%"}) {
    EXPECT_THAT(refusal(fields(host)), HasSubstr("host must not contain ':' unless")) << host;
  }
  for (const char* host : {"::1", "2001:DB8::1", "fe80::1%eth0", "::ffff:10.0.0.1"}) {
    EXPECT_EQ(refusal(fields(host)), "accepted") << host;
  }
}

TEST(MakeServer, AnIPv4AddressHasFourDecimalNumbers) {
  for (const char* host : {"0", "127.1", "2130706433", "0x7f.0.0.1", "010.0.0.1"}) {
    EXPECT_THAT(refusal(fields(host)), HasSubstr("four decimal numbers")) << host;
  }
  for (const char* host : {"10.0.0.1", "redis.1", "1.redis", "4f9c"}) {
    EXPECT_EQ(refusal(fields(host)), "accepted") << host;
  }
}

TEST(MakeServer, AnIpAddressHasNoDotBehindIt) {
  EXPECT_THAT(refusal(fields("127.0.0.1.")), HasSubstr("without a dot behind it"));
  EXPECT_EQ(refusal(fields("redis.example.")), "accepted");
}

TEST(MakeServer, APathIsAUnixSocket) {
  const Endpoint endpoint = make_server(fields("/run/redis.sock")).endpoint;
  EXPECT_EQ(endpoint.unix_path, "/run/redis.sock");
  EXPECT_EQ(endpoint.host, "");
  EXPECT_EQ(refusal(fields("/" + std::string(106, 'a'))), "accepted");
  EXPECT_THAT(refusal(fields("/" + std::string(107, 'a'))), HasSubstr("107"));
  EXPECT_THAT(refusal(fields(std::string("/a\0b", 4))), HasSubstr("null bytes"));
}

TEST(MakeServer, ATimeoutOfZeroMeansTheUsualOne) {
  ServerFields given = fields("h");
  given.timeout_seconds = 0;
  EXPECT_EQ(make_server(given).timeout, std::nullopt);
  given.timeout_seconds = 0.25;
  EXPECT_EQ(make_server(given).timeout, Duration::ms(250));
  given.timeout_seconds = 3600;
  EXPECT_EQ(make_server(given).timeout, Duration::seconds(3600));
}

TEST(MakeServer, RefusesTimeoutsThatAreNoTime) {
  for (const double seconds : {-1.0, -0.001, 3600.5, std::nan(""), HUGE_VAL, -HUGE_VAL, 1e300}) {
    ServerFields given = fields("h");
    given.timeout_seconds = seconds;
    EXPECT_THAT(refusal(given), HasSubstr("timeout must be a number of seconds")) << seconds;
  }
}

TEST(TimeoutFromSeconds, ATinyTimeIsNotRoundedAwayAndTheNameComesFirst) {
  EXPECT_EQ(timeout_from_seconds("timeout", 1e-12), Duration::ns(1));
  try {
    static_cast<void>(timeout_from_seconds("patience", -1));
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("patience"));
  }
}

TEST(MakeServer, AUserNeedsAPassword) {
  ServerFields given = fields("h");
  given.user = "alice";
  EXPECT_EQ(refusal(given), "a user needs a password");
  given.password = "secret";
  EXPECT_EQ(make_server(given).endpoint.user, "alice");
}

TEST(MakeServer, TheDatabaseIsBounded) {
  for (const std::int64_t database : {std::int64_t{-1}, kDatabaseMax + 1}) {
    ServerFields given = fields("h");
    given.database = database;
    EXPECT_THAT(refusal(given), HasSubstr("database must be between"));
  }
  ServerFields given = fields("h");
  given.database = kDatabaseMax;
  EXPECT_EQ(make_server(given).endpoint.database, 1'000'000U);
}

TEST(MakeServer, ComplaintsNeverHoldThePassword) {
  ServerFields given = fields("h");
  given.user = std::string(kCredentialBytesMax + 1, 'u');
  given.password = "hunter2";
  EXPECT_THAT(refusal(given), testing::Not(HasSubstr("hunter2")));
  given.user = "u";
  given.password = std::string(kCredentialBytesMax + 1, 'p');
  EXPECT_EQ(refusal(given), "password must be at most 4096 bytes long");
}

TEST(Endpoint, IsPrintedWithoutItsSecrets) {
  ServerFields given = fields("redis.example");
  given.user = "alice";
  given.password = "hunter2";
  given.port = 7000;
  EXPECT_EQ(make_server(given).endpoint.display(), "redis.example:7000");
  EXPECT_EQ(make_server(fields("::1")).endpoint.display(), "[::1]:6379");
  EXPECT_EQ(make_server(fields("/a/b")).endpoint.display(), "unix:///a/b");
}

std::string key_of(const std::string& host, std::int64_t port = 6379, std::int64_t database = 0) {
  ServerFields given = fields(host);
  given.port = port;
  given.database = database;
  return make_server(given).endpoint.server_key();
}

TEST(Rule06MajorityOfTheConfiguredServers, OneServerHasOneKeyHoweverItIsSpelled) {
  EXPECT_EQ(key_of("Redis.Example"), key_of("redis.example."));
  EXPECT_EQ(key_of("AZ.example"), key_of("az.example"));
  EXPECT_EQ(key_of("localhost"), key_of("127.0.0.1"));
  EXPECT_EQ(key_of("LOCALHOST"), key_of("::1"));
  EXPECT_EQ(key_of("0:0::1"), key_of("::ffff:127.0.0.1"));
  EXPECT_EQ(key_of("0.0.0.0"), key_of("::"));
  EXPECT_EQ(key_of("0.0.0.0"), key_of("127.0.0.1"));
  EXPECT_EQ(key_of("2001:db8::1"), key_of("2001:0DB8:0::1"));
  EXPECT_EQ(key_of("10.0.0.1"), key_of("::ffff:a00:1"));
  EXPECT_EQ(key_of("h", 6379, 3), key_of("h"));
}

TEST(Rule06MajorityOfTheConfiguredServers, DifferentServersHaveDifferentKeys) {
  EXPECT_NE(key_of("a"), key_of("b"));
  EXPECT_NE(key_of("a", 1), key_of("a", 2));
  EXPECT_NE(key_of("/a"), key_of("/b"));
  EXPECT_NE(key_of("2001:db8::1"), key_of("2001:db8::2"));
  EXPECT_NE(key_of("fe80::1%eth0"), key_of("fe80::1%eth1"));
}

}  // namespace
}  // namespace redlock::endpoint_test
