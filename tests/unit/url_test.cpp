// The textual forms of a server.
#include "redlock/config/url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/refusal.hpp"

namespace redlock::url_test {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view text) {
  return test::refusal([&] { static_cast<void>(parse_server(text)); });
}

std::string shown(std::string_view text) { return parse_server(text).endpoint.display(); }

TEST(ServerText, AHostAloneUsesTheUsualPort) {
  EXPECT_EQ(shown("redis.example"), "redis.example:6379");
}

TEST(ServerText, AHostMayCarryAPort) { EXPECT_EQ(shown("10.0.0.1:7000"), "10.0.0.1:7000"); }

TEST(ServerText, AnAddressOfVersionSixStandsInBracketsOrAlone) {
  EXPECT_EQ(shown("[::1]:7000"), "[::1]:7000");
  EXPECT_EQ(shown("[::1]"), "[::1]:6379");
  EXPECT_EQ(shown("::1"), "[::1]:6379");
  EXPECT_EQ(shown("redis://[fe80::2]:7000"), "[fe80::2]:7000");
}

TEST(ServerText, APathIsAUnixSocket) {
  EXPECT_EQ(shown("/run/redis.sock"), "unix:///run/redis.sock");
  EXPECT_EQ(shown("unix:///run/redis.sock"), "unix:///run/redis.sock");
  EXPECT_EQ(shown("unix:///run/%72edis.sock"), "unix:///run/redis.sock");
}

TEST(RedisUrl, CarriesUserPasswordDatabaseAndTimeout) {
  const ServerSpec server = parse_server("redis://alice:s%40crt@redis.example:7000/4?timeout=0.5");
  EXPECT_EQ(server.endpoint.user, "alice");
  EXPECT_EQ(server.endpoint.password, "s@crt");
  EXPECT_EQ(server.endpoint.host, "redis.example");
  EXPECT_EQ(server.endpoint.port, 7000);
  EXPECT_EQ(server.endpoint.database, 4U);
  EXPECT_EQ(server.timeout, Duration::ms(500));
}

TEST(RedisUrl, APasswordMayStandWithoutAUser) {
  for (const char* text : {"redis://secret@h", "redis://:secret@h"}) {
    EXPECT_EQ(parse_server(text).endpoint.user, "") << text;
    EXPECT_EQ(parse_server(text).endpoint.password, "secret") << text;
  }
}

TEST(RedisUrl, AnyByteMayBeEscapedInEitherCase) {
  for (const char* digits : {"0123456789abcdef", "0123456789ABCDEF"}) {
    for (std::size_t byte = 1; byte < 256; ++byte) {
      const std::string escaped{'%', digits[byte / 16], digits[byte % 16]};
      EXPECT_EQ(parse_server("redis://u:" + escaped + "@h").endpoint.password,
                std::string(1, static_cast<char>(byte)))
          << escaped;
    }
  }
}

TEST(RedisUrl, NothingBesideHexDigitsIsOne) {
  for (const char next : {'/', ':', '@', 'G', '`', 'g'}) {
    EXPECT_THAT(refusal(std::string("redis://u:%4") + next + "@h"), HasSubstr("hex digits"))
        << next;
    EXPECT_THAT(refusal(std::string("redis://u:%") + next + "4@h"), HasSubstr("hex digits"))
        << next;
  }
}

TEST(RedisUrl, WhatStandsBehindTheQuestionMarkStandsInAnyOrder) {
  for (const char* text : {"redis://h?timeout=2&database=3", "redis://h?database=3&timeout=2"}) {
    EXPECT_EQ(parse_server(text).endpoint.database, 3U) << text;
    EXPECT_EQ(parse_server(text).timeout, Duration::seconds(2)) << text;
  }
  EXPECT_THAT(refusal("redis://h?timeout"), HasSubstr("timeout must be"));
  EXPECT_THAT(refusal("redis://h?database"), HasSubstr("database must be"));
}

TEST(RedisUrl, ANumberTooLargeToCountIsNotZero) {
  EXPECT_THAT(refusal("redis://h/99999999999999999999"), HasSubstr("database must be"));
}

TEST(RedisUrl, TheLastAtSignEndsTheCredentials) {
  EXPECT_EQ(parse_server("redis://u:p@ss@h").endpoint.password, "p@ss");
}

TEST(RedisUrl, NeedsNeitherPathNorQuery) {
  EXPECT_EQ(parse_server("redis://h").endpoint.database, 0U);
  EXPECT_EQ(parse_server("redis://h/").endpoint.database, 0U);
  EXPECT_EQ(parse_server("redis://h?").timeout, std::nullopt);
}

TEST(ServerText, TheSchemeSaysWhetherThereIsTls) {
  for (const char* text : {"h", "redis://h", "valkey://h", "tcp://h", "REDIS://h", "/s"}) {
    EXPECT_EQ(parse_server(text).endpoint.tls, std::nullopt) << text;
  }
  for (const char* text : {"rediss://h", "valkeys://h", "tls://h", "Rediss://h", "TLS://h"}) {
    EXPECT_EQ(parse_server(text).endpoint.tls, TlsOptions{}) << text;
    EXPECT_EQ(shown(text), "h:6379") << text;
  }
}

TEST(ServerText, EverySchemeTakesCredentialsDatabaseAndPort) {
  for (const char* scheme : {"redis", "rediss", "valkey", "valkeys", "tcp", "tls"}) {
    const Endpoint endpoint =
        parse_server(std::string(scheme) + "://alice:wonder@h:6380/2").endpoint;
    EXPECT_EQ(endpoint.display(), "h:6380") << scheme;
    EXPECT_EQ(endpoint.user, "alice") << scheme;
    EXPECT_EQ(endpoint.password, "wonder") << scheme;
    EXPECT_EQ(endpoint.database, 2U) << scheme;
  }
}

TEST(ServerText, AConnectionWithTlsIsAnotherOneToTheSameServer) {
  const Endpoint plain = parse_server("redis://h").endpoint;
  const Endpoint tls = parse_server("rediss://h").endpoint;
  EXPECT_NE(plain, tls);
  EXPECT_EQ(plain.server_key(), tls.server_key());
  EXPECT_EQ(plain.display(), tls.display());
  EXPECT_NE(tls, parse_server("rediss://h?ssl[verify_peer]=0").endpoint);
}

TEST(ServerText, TheSchemesOfClustersAndSentinelsAreForLater) {
  for (const char* text : {"redis+sentinel://h/m", "rediss+sentinel://h/m", "redis+cluster://h"}) {
    EXPECT_THAT(refusal(text), HasSubstr("cannot be used yet")) << text;
  }
}

TEST(ServerText, SeveralHostsAreNoServer) {
  for (const char* text :
       {"a,b", "a:1,b:2", "a:1,b", "redis://a,b", "rediss://u:p@a:1,b:2/3", "tcp://a,b?timeout=1",
        "redis:?host[a]&host[b]", "redis://a?host[b]", "unix:///s?host[b]", "redis://a%2Cb"}) {
    EXPECT_THAT(refusal(text), HasSubstr("a server has one host")) << text;
  }
}

TEST(SymfonyText, ASocketMayStandBehindRedisWithItsDatabase) {
  EXPECT_EQ(shown("redis:///run/redis.sock"), "unix:///run/redis.sock");
  const Endpoint endpoint = parse_server("redis://secret@/run/redis.sock/13").endpoint;
  EXPECT_EQ(endpoint.display(), "unix:///run/redis.sock");
  EXPECT_EQ(endpoint.password, "secret");
  EXPECT_EQ(endpoint.database, 13U);
  EXPECT_EQ(shown("valkey:///run/v%20s/"), "unix:///run/v s");
  EXPECT_THAT(refusal("rediss:///run/redis.sock"), HasSubstr("has no TLS"));
  EXPECT_THAT(refusal("rediss://%2Frun%2Fredis.sock"), HasSubstr("has no TLS"));
  EXPECT_THAT(refusal("tcp:///run/redis.sock"), HasSubstr("host must not be empty"));
  EXPECT_THAT(refusal("redis:///run/redis.sock/99999999"), HasSubstr("database must be"));
  EXPECT_THAT(refusal("redis:///3"), HasSubstr("host must not be empty"));
  EXPECT_THAT(refusal("redis://p@/"), HasSubstr("host must not be empty"));
}

TEST(SymfonyText, TheHostMayStandBehindTheQuestionMark) {
  const Endpoint short_form = parse_server("redis:alice:wonder@?host[r1:6380]&dbindex=3").endpoint;
  EXPECT_EQ(short_form, parse_server("redis://alice:wonder@r1:6380/3").endpoint);
  EXPECT_EQ(parse_server("rediss:?host[r1]").endpoint, parse_server("rediss://r1").endpoint);
  EXPECT_EQ(parse_server("redis://p@?host[r1]").endpoint, parse_server("redis://p@r1").endpoint);
  EXPECT_EQ(shown("valkey:?host[/run/v.sock:]"), "unix:///run/v.sock");
  EXPECT_EQ(shown("redis:?host%5B[::1]:7%5D="), "[::1]:7");
}

TEST(SymfonyText, AHostMayHaveTheNameOfAScheme) {
  EXPECT_EQ(shown("redis:6379"), "redis:6379");
  EXPECT_EQ(shown("redis"), "redis:6379");
  EXPECT_EQ(shown("tls:7000"), "tls:7000");
  EXPECT_EQ(shown("unix:7000"), "unix:7000");
  EXPECT_THAT(refusal("redis:6379?timeout=1"), HasSubstr("port must be a number"));
}

TEST(PredisText, ASocketMayFollowASingleColon) {
  EXPECT_EQ(shown("unix:/path/to/redis.sock"), "unix:///path/to/redis.sock");
  EXPECT_EQ(parse_server("unix:/s?database=2").endpoint.database, 2U);
}

TEST(UnixUrl, CarriesCredentialsDatabaseAndTimeout) {
  const ServerSpec server = parse_server("unix://u:p@/run/r.sock?database=2&timeout=1");
  EXPECT_EQ(server.endpoint.unix_path, "/run/r.sock");
  EXPECT_EQ(server.endpoint.user, "u");
  EXPECT_EQ(server.endpoint.password, "p");
  EXPECT_EQ(server.endpoint.database, 2U);
  EXPECT_EQ(server.timeout, Duration::seconds(1));
}

TEST(ServerText, RefusesWhatIsNoPort) {
  for (const char* text : {"h:", "h:x", "h:7000x", "h:-", "redis://h:", "[::1]:"}) {
    EXPECT_THAT(refusal(text), HasSubstr("port must be a number")) << text;
  }
  EXPECT_THAT(refusal("h:0"), HasSubstr("port must be between"));
  EXPECT_THAT(refusal("h:70000"), HasSubstr("port must be between"));
  EXPECT_NE(refusal("h:99999999999999999999"), "accepted");
}

TEST(ServerText, AnIPv6AddressWithAPortStandsInBrackets) {
  for (const char* text :
       {"redis://::1:6379", "redis://::1", "rediss://u:p@::1:6379/2", "redis:?host%5B::1:7%5D="}) {
    EXPECT_THAT(refusal(text), HasSubstr("must stand in brackets")) << text;
  }
  for (const char* text : {"::1:18101", "h:1:2", "u:p:h"}) {
    EXPECT_THAT(refusal(text), HasSubstr("unless it is an IPv6 address")) << text;
  }
  EXPECT_THAT(refusal("redis://[h:1]:2"), HasSubstr("unless it is an IPv6 address"));
  EXPECT_THAT(refusal("redis://h%3a1"), HasSubstr("unless it is an IPv6 address"));
}

TEST(ServerText, RefusesOtherSchemes) {
  for (const char* text : {"http://h", "tlsv1.2://h", "redis+x://h", "://h", "redis ://h"}) {
    EXPECT_THAT(refusal(text), HasSubstr("the scheme must be redis, rediss")) << text;
  }
}

TEST(ServerText, RefusesBrokenBracketsEscapesAndQueries) {
  EXPECT_THAT(refusal("[::1"), HasSubstr("must end with ']'"));
  EXPECT_THAT(refusal("[::1]x"), HasSubstr("only a port"));
  EXPECT_THAT(refusal("[]"), HasSubstr("empty"));
  EXPECT_THAT(refusal("redis://u:%4@h"), HasSubstr("hex digits"));
  EXPECT_THAT(refusal("redis://u:%zz@h"), HasSubstr("hex digits"));
  EXPECT_THAT(refusal("redis://h?ssl=1"), HasSubstr("no URL parameter 'ssl'"));
  EXPECT_THAT(refusal("redis://h/zero"), HasSubstr("database must be a number"));
  EXPECT_THAT(refusal("redis://h/1/2"), HasSubstr("database must be a number"));
  EXPECT_THAT(refusal("unix://relative"), HasSubstr("absolute"));
}

TEST(ServerText, RefusesTimeoutsThatAreNoTime) {
  for (const char* seconds : {"", "x", "1s", "-1", "inf", "nan", "1e999", "4000"}) {
    EXPECT_THAT(refusal(std::string("redis://h?timeout=") + seconds), HasSubstr("timeout"))
        << seconds;
  }
}

TEST(ServerText, RefusesEmptyTextAndHosts) {
  for (const char* text : {"", "redis://", "redis://u:p@", ":6379", "redis://:6379"}) {
    EXPECT_THAT(refusal(text), HasSubstr("host must not be empty")) << text;
  }
}

TEST(ServerText, ANullByteCannotBeSmuggledIn) {
  EXPECT_THAT(refusal("redis://h%00x"), HasSubstr("host must not contain"));
  EXPECT_THAT(refusal("unix:///a%00b"), HasSubstr("null bytes"));
}

TEST(ServerText, IsBounded) {
  EXPECT_THAT(refusal(std::string(kServerTextBytesMax + 1, 'a')), HasSubstr("16384"));
  EXPECT_THAT(refusal(std::string(kServerTextBytesMax, 'a')), testing::Not(HasSubstr("16384")));
}

TEST(ServerText, ComplaintsNeverRepeatThePassword) {
  for (const char* text :
       {"redis://u:hunter2@h:x", "redis://u:hunter2@h/x", "redis://u:hunter2@h?x=1",
        "redis://u:hunter2@", "http://u:hunter2@h", "redis://u:hunter2@[::1", "unix://u:hunter2@x",
        "u:hunter2@h:x", "redis://u:a?hunter2@h", "redis://u:a?b&hunter2@h", "hunter2://h",
        "redis://u:a?ssl[hunter2]@h", "rediss://h?ssl[verify_peer]=hunter2",
        "rediss://h?ssl[passphrase]=hunter2", "redis://h?auth[hunter2]=1"}) {
    EXPECT_THAT(refusal(text), testing::Not(HasSubstr("hunter2"))) << text;
    EXPECT_NE(refusal(text), "accepted") << text;
  }
}

}  // namespace
}  // namespace redlock::url_test
