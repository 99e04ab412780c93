// The pieces of a server's configuration, put together.
#include "redlock/config/server_parts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redlock/config/url.hpp"
#include "support/refusal.hpp"

namespace redlock::server_parts_test {
namespace {

using test::refusal;
using testing::HasSubstr;

ServerParts host(const std::string& text) {
  ServerParts parts;
  set_host(parts, text);
  return parts;
}

Endpoint endpoint(const ServerParts& parts) { return make_server(fields_of(parts)).endpoint; }

std::string refusal(const ServerParts& parts) {
  return refusal([&] { static_cast<void>(endpoint(parts)); });
}

TEST(ServerParts, AHostMayBeginWithAScheme) {
  EXPECT_EQ(endpoint(host("tls://h")), parse_server("tls://h").endpoint);
  EXPECT_EQ(endpoint(host("tcp://h:7000")), parse_server("h:7000").endpoint);
  EXPECT_EQ(endpoint(host("tls://[::1]:7")), parse_server("tls://[::1]:7").endpoint);
  EXPECT_EQ(endpoint(host("unix:///s")), parse_server("/s").endpoint);
  EXPECT_EQ(endpoint(host("[::1]")), parse_server("::1").endpoint);
  EXPECT_EQ(endpoint(host("/s")), parse_server("/s").endpoint);
  EXPECT_THAT(refusal([] { host("ssh://h"); }), HasSubstr("scheme"));
  EXPECT_THAT(refusal([] { host("redis://u:p@h/1"); }), HasSubstr("host must not contain"));
}

TEST(ServerParts, APortStandsOnce) {
  ServerParts parts = host("tls://h:7000");
  parts.port = 7000;
  EXPECT_EQ(refusal(parts), "port must not be given twice");
  parts = host("tls://h");
  parts.port = 7000;
  EXPECT_EQ(endpoint(parts).display(), "h:7000");
}

TEST(ServerParts, SchemesThatContradictEachOtherAreRefused) {
  for (const Scheme other : {Scheme::tcp, Scheme::socket}) {
    ServerParts parts = host("tls://h");
    EXPECT_THAT(refusal([&] { set_scheme(parts, other); }),
                HasSubstr("scheme must not be given twice with different values"));
  }
  ServerParts parts = host("tls://h");
  set_scheme(parts, Scheme::tls);
  set_scheme(parts, Scheme::redis);
  EXPECT_TRUE(endpoint(parts).tls);
}

TEST(ServerParts, TlsMayBeAskedForByNameWhereTheSchemeLeavesItOpen) {
  ServerParts parts = host("h");
  parts.tls = true;
  EXPECT_TRUE(endpoint(parts).tls);
  set_scheme(parts, Scheme::redis);
  EXPECT_TRUE(endpoint(parts).tls);
  set_scheme(parts, Scheme::tcp);
  EXPECT_THAT(refusal(parts), HasSubstr("tls must not be asked for with the scheme tcp"));
  parts = host("tls://h");
  parts.tls = false;
  EXPECT_THAT(refusal(parts), HasSubstr("tls must not be false"));
}

TEST(ServerParts, ASocketIsNeverEncrypted) {
  for (const char* text : {"/s", "unix:///s"}) {
    ServerParts parts = host(text);
    parts.tls = true;
    EXPECT_EQ(refusal(parts), "a unix socket has no TLS") << text;
  }
}

TEST(ServerParts, OptionsOfTlsWantTls) {
  ServerParts parts = host("h");
  parts.tls_options.set_flag("verify_peer", true);
  EXPECT_THAT(refusal(parts), HasSubstr("without TLS"));
  parts.tls = false;
  EXPECT_THAT(refusal(parts), HasSubstr("without TLS"));
  parts.tls = true;
  EXPECT_EQ(endpoint(parts).tls, TlsOptions{});
}

TEST(ServerParts, APathIsThatOfASocketAndComesBeforeAHost) {
  ServerParts parts = host("127.0.0.1");
  parts.path = "/s";
  EXPECT_EQ(refusal(parts), "path needs the scheme unix");
  parts.scheme = Scheme::socket;
  EXPECT_EQ(endpoint(parts).display(), "unix:///s");
  parts.path.reset();
  EXPECT_THAT(refusal(parts), HasSubstr("absolute path"));
  parts.path = "s";
  EXPECT_THAT(refusal(parts), HasSubstr("absolute path"));
  EXPECT_EQ(refusal(ServerParts()), "host is missing");
}

TEST(ServerParts, EmptyCredentialsAreNone) {
  ServerParts parts = host("h");
  set_user(parts, "");
  set_password(parts, "");
  set_user(parts, "u");
  set_password(parts, "p");
  EXPECT_EQ(endpoint(parts).user, "u");
  EXPECT_THAT(refusal([&] { set_user(parts, "u"); }), HasSubstr("twice"));
  EXPECT_THAT(refusal([&] { set_password(parts, "p"); }), HasSubstr("twice"));
}

TEST(ServerParts, ATimeoutIsGivenOnce) {
  ServerParts parts = host("h");
  set_timeout(parts, 0.01, true);
  EXPECT_TRUE(make_server(fields_of(parts)).timeout_of_connecting);
  EXPECT_THAT(refusal([&] { set_timeout(parts, 1, false); }), HasSubstr("timeout must not be"));
}

TEST(ServerParts, WhatAUrlSaysCountsAndTheRestIsTakenFromBesideIt) {
  ServerParts beside = host("other");
  beside.port = 7000;
  beside.database = 1;
  set_user(beside, "bob");
  set_password(beside, "builder");
  set_timeout(beside, 2, true);
  const ServerSpec server =
      make_server(fields_of(with_url(parts_from_text("redis://alice@h/3"), beside)));
  EXPECT_EQ(server.endpoint.display(), "h:7000");
  EXPECT_EQ(server.endpoint.database, 3U);
  EXPECT_EQ(server.endpoint.password, "alice");
  EXPECT_EQ(server.endpoint.user, "bob");
  EXPECT_EQ(server.timeout, Duration::seconds(2));
  EXPECT_TRUE(server.timeout_of_connecting);
}

TEST(ServerParts, APasswordMayStandBesideAUrl) {
  ServerParts beside;
  set_password(beside, "builder");
  EXPECT_EQ(endpoint(with_url(parts_from_text("redis://h"), beside)).password, "builder");
}

TEST(ServerParts, TheHostBesideAUrlCountsNowhereAndBringsNoPort) {
  const auto both = [](std::string_view url) {
    return endpoint(with_url(parts_from_text(url), host("tls://other:7000"))).display();
  };
  EXPECT_EQ(both("redis://h"), "h:6379");
  EXPECT_EQ(both("redis://h:1"), "h:1");
  EXPECT_THAT(refusal([&] { both("redis:///3"); }), HasSubstr("host must not be empty"));
}

TEST(ServerParts, AUrlOfASocketNeedsNothingOfWhatStandsBeside) {
  ServerParts beside = host("127.0.0.1");
  beside.port = 6379;
  EXPECT_EQ(endpoint(with_url(parts_from_text("unix:///s"), beside)).display(), "unix:///s");
}

TEST(ServerParts, AUrlAndItsNeighboursAgreeAboutTls) {
  ServerParts beside;
  beside.scheme = Scheme::tls;
  EXPECT_TRUE(endpoint(with_url(parts_from_text("redis://h"), beside)).tls);
  EXPECT_TRUE(endpoint(with_url(parts_from_text("rediss://h"), host("127.0.0.1"))).tls);
  EXPECT_THAT(refusal([&] { static_cast<void>(with_url(parts_from_text("tcp://h"), beside)); }),
              HasSubstr("scheme must not be given twice with different values"));
  beside.tls_options.set_text("cafile", "/ca.pem");
  EXPECT_EQ(endpoint(with_url(parts_from_text("tls://h"), beside)).tls->cafile, "/ca.pem");
  EXPECT_THAT(refusal([&] {
                static_cast<void>(with_url(parts_from_text("tls://h?ssl[ciphers]=x"), beside));
              }),
              HasSubstr("options of TLS must not be given twice"));
}

}  // namespace
}  // namespace redlock::server_parts_test
