// Which texts are addresses of IPv4 or IPv6, and which of them are the same one.
#include "redlock/config/address_text.hpp"

#include <gtest/gtest.h>

namespace redlock::address_text_test {
namespace {

TEST(AddressText, OneAddressHasOneSpelling) {
  EXPECT_EQ(address_spelling("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(address_spelling("2001:0DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(address_spelling("2001:db8::1"), "2001:db8::1");
  EXPECT_EQ(address_spelling("0:0:0:0:0:0:0:1"), "::1");
}

TEST(AddressText, AnAddressOfIPv4WithinIPv6LeadsToTheSameServer) {
  EXPECT_EQ(address_spelling("::ffff:10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(address_spelling("::FFFF:0a00:1"), "10.0.0.1");
}

TEST(AddressText, AZoneStaysAsItIs) {
  EXPECT_EQ(address_spelling("FE80:0::1%Eth0"), "fe80::1%Eth0");
  EXPECT_NE(address_spelling("fe80::1%eth0"), address_spelling("fe80::1%eth1"));
}

TEST(AddressText, WhatIsNoAddressHasNoSpelling) {
  for (const char* host : {"", "h", "redis.1", "10.0.0", "10.0.0.256", "10.0.0.1:6379", "::1:18101",
                           "127.0.0.1%lo", "fe80::1%", "1:2", "[::1]", "::g"}) {
    EXPECT_EQ(address_spelling(host), std::nullopt) << host;
  }
}

TEST(AddressText, TheShorthandsOfOldFunctionsAreKnown) {
  for (const char* host :
       {"0", "127.1", "10.0.1", "2130706433", "0x7f.1", "0x7f000001", "0177.0.0.1"}) {
    EXPECT_TRUE(is_ipv4_shorthand(host)) << host;
  }
  for (const char* host : {"127.0.0.1", "redis.1", "h", "10.0.0.256", "::1", "1-2"}) {
    EXPECT_FALSE(is_ipv4_shorthand(host)) << host;
  }
}

}  // namespace
}  // namespace redlock::address_text_test
