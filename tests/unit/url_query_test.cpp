// What stands behind the '?' of a server's text.
#include "redlock/config/url_query.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/allocations.hpp"
#include "support/refusal.hpp"

namespace redlock::url_query_test {
namespace {

using testing::HasSubstr;
using testing::Not;

ServerSpec with(const std::string& query, const std::string& begin = "redis://h?") {
  return parse_server(begin + query);
}

std::string refusal(const std::string& query, const std::string& begin = "redis://h?") {
  return test::refusal([&] { static_cast<void>(with(query, begin)); });
}

TEST(UrlQuery, APasswordIsWipedWhetherItIsTakenOrRefused) {
  const std::string password = "a password that is too long to stand in the string itself";
  for (const std::string query : {"auth=", "auth=first&auth=", "unknown="}) {
    const std::string text = "redis://h?" + query + password;
    const test::WatchedBytes watched(password);
    static_cast<void>(test::refusal([&] { static_cast<void>(parse_server(text)); }));
    EXPECT_EQ(watched.leaks(), 0U) << query;
  }
}

TEST(UrlQuery, ADatabaseHasTwoNamesAndMayStandInThePathToo) {
  EXPECT_EQ(with("database=3").endpoint.database, 3U);
  EXPECT_EQ(with("dbindex=3").endpoint.database, 3U);
  EXPECT_EQ(with("dbindex=3&database=3", "redis://h/3?").endpoint.database, 3U);
  EXPECT_THAT(refusal("dbindex=3&database=4"), HasSubstr("database must not be given twice"));
  EXPECT_THAT(refusal("dbindex=3", "redis://h/4?"), HasSubstr("database must not be given twice"));
}

TEST(UrlQuery, CredentialsMayStandThere) {
  for (const char* query : {"auth=p", "auth[]=p", "auth[0]=p", "password=p", "auth[]=&auth[]=p"}) {
    EXPECT_EQ(with(query).endpoint.user, "") << query;
    EXPECT_EQ(with(query).endpoint.password, "p") << query;
  }
  for (const char* query : {"auth[]=u&auth[]=p", "auth[0]=u&auth[1]=p", "username=u&password=p",
                            "auth%5B%5D=u&auth%5B%5D=p"}) {
    EXPECT_EQ(with(query).endpoint.user, "u") << query;
    EXPECT_EQ(with(query).endpoint.password, "p") << query;
  }
  EXPECT_EQ(with("username=&password=").endpoint, parse_server("h").endpoint);
}

TEST(UrlQuery, CredentialsAreGivenOnceAndInFull) {
  EXPECT_THAT(refusal("auth=q", "redis://u:p@h?"), HasSubstr("password must not be given twice"));
  EXPECT_THAT(refusal("auth=p&password=p"), HasSubstr("password must not be given twice"));
  EXPECT_THAT(refusal("username=v", "redis://u:p@h?"), HasSubstr("user must not be given twice"));
  EXPECT_THAT(refusal("auth[]=a&auth[]=b&auth[]=c"), HasSubstr("auth must be a password"));
  EXPECT_THAT(refusal("auth[user]=a"), HasSubstr("auth must be a password"));
  EXPECT_THAT(refusal("auth[1]=a"), HasSubstr("auth must be a password"));
  EXPECT_EQ(refusal("username=u"), "a user needs a password");
}

TEST(UrlQuery, AParameterIsNamedInARefusalWhereItIsOfLettersDigitsAndSigns) {
  for (const std::string name : {"azAZ", "09", "_-."}) {
    EXPECT_THAT(refusal(name + "=1"), HasSubstr("'" + name + "'"));
  }
  for (const std::string name : {"a`", "z{", "Z[", "9:", "a/0"}) {
    EXPECT_THAT(refusal(name + "=1"), Not(HasSubstr(name)));
  }
  EXPECT_THAT(refusal("%40=1"), Not(HasSubstr("'@'")));
}

TEST(UrlQuery, IsReadLikeAForm) {
  EXPECT_EQ(with("auth=a+b%2Bc%20d").endpoint.password, "a b+c d");
  EXPECT_THAT(refusal("auth=%4"), HasSubstr("hex digits"));
  EXPECT_EQ(with("&&timeout=1&").timeout, Duration::seconds(1));
}

TEST(UrlQuery, EveryOptionOfTlsMayStandThere) {
  const TlsOptions tls =
      *with(
           "ssl[cafile]=/ca.pem&ssl[capath]=/ca&ssl[local_cert]=/c.pem&ssl[local_pk]=/k.pem"
           "&ssl[passphrase]=hush&ssl[peer_name]=n&ssl[verify_peer]=0&ssl[verify_peer_name]=off"
           "&ssl[ciphers]=HIGH",
           "rediss://h?")
           .endpoint.tls;
  EXPECT_EQ(tls.cafile, "/ca.pem");
  EXPECT_EQ(tls.capath, "/ca");
  EXPECT_EQ(tls.local_cert, "/c.pem");
  EXPECT_EQ(tls.local_pk, "/k.pem");
  EXPECT_EQ(tls.passphrase, "hush");
  EXPECT_EQ(tls.peer_name, "n");
  EXPECT_FALSE(tls.verify_peer);
  EXPECT_FALSE(tls.verify_peer_name);
  EXPECT_EQ(tls.ciphers, "HIGH");
}

TEST(UrlQuery, TheSwitchesOfTlsAreWords) {
  for (const char* word : {"1", "true", "ON", "yes", ""}) {
    EXPECT_TRUE(
        with(std::string("stream[verify_peer]=") + word, "tls://h?").endpoint.tls->verify_peer)
        << word;
  }
  EXPECT_THAT(refusal("ssl[verify_peer]=never", "tls://h?"), HasSubstr("verify_peer must be"));
  EXPECT_THAT(refusal("ssl[crypto_method]=TLS", "tls://h?"), HasSubstr("must be a number"));
}

TEST(UrlQuery, OptionsOfTlsWantTls) {
  for (const char* begin : {"redis://h?", "tcp://h?", "unix:///s?"}) {
    EXPECT_THAT(refusal("ssl[verify_peer]=1", begin), HasSubstr("without TLS")) << begin;
    EXPECT_EQ(refusal("ssl[cafile]=", begin), "accepted") << begin;
  }
  EXPECT_THAT(refusal("ssl[colour]=red", "tls://h?"), HasSubstr("no option of TLS 'colour'"));
  EXPECT_THAT(refusal("ssl[]=red", "tls://h?"), HasSubstr("no option of TLS"));
}

TEST(UrlQuery, WhatSaysNothingToALockIsIgnored) {
  for (const char* query :
       {"persistent=1", "persistent_id=shop", "read_timeout=x", "retry_interval=100", "lazy=1",
        "tcp_keepalive=60", "read_write_timeout=-1", "alias=first", "weight=2", "failover=none",
        "redis_cluster=0", "redis_cluster=false", "redis_sentinel=", "prefix=", "class="}) {
    EXPECT_EQ(with(query).endpoint, parse_server("h").endpoint) << query;
  }
}

TEST(UrlQuery, ClustersAndSentinelsAreForLater) {
  for (const char* query : {"redis_cluster=1", "redis_sentinel=mymaster", "sentinel_master=m",
                            "cluster=redis", "replication=sentinel"}) {
    EXPECT_THAT(refusal(query), HasSubstr("cannot be used yet")) << query;
    EXPECT_THAT(refusal(query), HasSubstr(std::string(query).substr(0, 4))) << query;
  }
}

TEST(UrlQuery, APrefixIsNotIgnored) {
  EXPECT_THAT(refusal("prefix=shop:"), HasSubstr("begin the names of your locks"));
}

TEST(UrlQuery, AnUnknownParameterIsNamed) {
  for (const char* name : {"colour", "ssl", "Timeout", "verify_peer", "tls", "a.b-c_9"}) {
    EXPECT_THAT(refusal(std::string(name) + "=x"),
                HasSubstr("no URL parameter '" + std::string(name) + "'"));
  }
  EXPECT_THAT(refusal("host=a"), HasSubstr("'host'"));
  EXPECT_THAT(refusal("colour[x]=1"), HasSubstr("'colour'"));
}

TEST(UrlQuery, AParameterThatMayBeAPartOfAPasswordIsNotNamed) {
  EXPECT_THAT(refusal("x", "redis://u:hunt?er2@h&"), Not(HasSubstr("er2")));
  EXPECT_THAT(refusal("x", "redis://u:hunt?er2&more@h&"), HasSubstr("%3F"));
  EXPECT_THAT(refusal("x", "redis://u:hunt?er2&more@h&"), Not(HasSubstr("more")));
  EXPECT_THAT(refusal("a%0Ab=1"), Not(HasSubstr("\n")));
  EXPECT_THAT(refusal(std::string(65, 'a')), Not(HasSubstr("aaa")));
}

TEST(UrlQuery, NothingIsGivenTwice) {
  for (const char* query : {"timeout=1&timeout=1", "ssl[cafile]=a&ssl[cafile]=a", "lazy=1&lazy=1",
                            "auth[0]=a&auth[0]=b"}) {
    EXPECT_THAT(refusal(query, "tls://h?"), HasSubstr("twice")) << query;
  }
}

TEST(UrlQuery, AHostHasNoParametersOfItsOwn) {
  EXPECT_THAT(refusal("host[h]=weight%3D1", "redis:?"), HasSubstr("parameters of its own"));
  EXPECT_THAT(refusal("host[h:x]", "redis:?"), HasSubstr("port must be a number"));
  EXPECT_THAT(refusal("host[/p@s:]", "redis:?"), HasSubstr("host must not contain '@'"));
  EXPECT_THAT(refusal("timeout=1", "redis:?"), HasSubstr("host must not be empty"));
}

}  // namespace
}  // namespace redlock::url_query_test
