// A connection's TLS against a real server side, without a socket: byte by byte, and cut off.
#include "redlock/wire/tls_stream.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>

#include "redlock/wire/tls_words.hpp"
#include "support/tls_pair.hpp"

namespace redlock::tls_stream_test {
namespace {

using test::Certificate;
using test::TlsPair;
using test::TlsServer;

// Keys take their time; one authority and one server do for all.
const Certificate& authority() {
  static const Certificate kAuthority = Certificate::authority();
  return kAuthority;
}
const Certificate& good() {
  static const Certificate kGood = authority().issue();
  return kGood;
}

class ATlsStream : public testing::TestWithParam<bool> {
 protected:
  std::shared_ptr<SSL_CTX> context_ = test::client_context(authority());
  TlsServer server_{good(), {.tls13 = GetParam()}};
};

INSTANTIATE_TEST_SUITE_P(Of, ATlsStream, testing::Bool(),
                         [](const auto& of) { return of.param ? "Version13" : "Version12"; });

TEST_P(ATlsStream, CarriesPlainBytesBothWays) {
  TlsPair pair(*context_, server_);
  pair.shake();
  ASSERT_EQ(pair.ours.state(), TlsStream::State::open) << pair.ours.reason();
  EXPECT_FALSE(pair.ours.resumed());
  EXPECT_EQ(pair.ours.write("PING\r\n"), 6U);
  pair.pass_to_server();
  EXPECT_EQ(pair.theirs.heard(), "PING\r\n");
  pair.theirs.say("+PONG\r\n");
  pair.pass_to_client();
  EXPECT_EQ(pair.read_all(), "+PONG\r\n");
  EXPECT_FALSE(pair.ours.buffered());
}

TEST_P(ATlsStream, ReadsTheSameInSlicesOfOneByte) {
  TlsPair pair(*context_, server_);
  pair.shake(TlsPair::kAll, 1);
  ASSERT_EQ(pair.ours.state(), TlsStream::State::open) << pair.ours.reason();
  pair.theirs.say("+PONG\r\n");
  pair.pass_to_client(TlsPair::kAll, 1);
  EXPECT_EQ(pair.read_all(), "+PONG\r\n");
}

// Else its user would turn round and round until the rest has come.
TEST_P(ATlsStream, HasNothingToReadWhilePartOfARecordIsMissing) {
  TlsPair pair(*context_, server_);
  pair.shake();
  pair.theirs.say("+PONG\r\n");
  const std::string record = pair.theirs.take_output();
  pair.ours.feed(std::string_view(record).substr(0, record.size() - 1));
  EXPECT_EQ(pair.read_all(), "");
  EXPECT_FALSE(pair.ours.buffered());
  pair.ours.feed(std::string_view(record).substr(record.size() - 1));
  EXPECT_TRUE(pair.ours.buffered());
  EXPECT_EQ(pair.read_all(), "+PONG\r\n");
}

// A handshake of which any part is missing: first it stalls, then it is cut off.
TEST_P(ATlsStream, StallsAndEndsAtEveryByteOfTheHandshakeWithAReason) {
  for (std::size_t cut = 0;; ++cut) {
    TlsPair pair(*context_, server_);
    pair.shake(cut);
    if (pair.ours.state() == TlsStream::State::open) {
      EXPECT_GT(cut, 300U);
      return;
    }
    ASSERT_EQ(pair.ours.state(), TlsStream::State::shaking) << cut;
    EXPECT_EQ(pair.passed, cut);
    EXPECT_EQ(pair.ours.heard_any(), cut > 0);
    EXPECT_EQ(pair.ours.write("SET"), 0U);
    EXPECT_EQ(pair.read_all(), "");
    EXPECT_FALSE(pair.ours.buffered());
    pair.ours.note_end("it broke");
    ASSERT_EQ(pair.ours.state(), TlsStream::State::ended) << cut;
    EXPECT_EQ(pair.ours.fault(), Fault::closed);
    EXPECT_EQ(pair.ours.reason(), cut > 0 ? "it broke during the TLS handshake"
                                          : "it broke instead of a TLS handshake: no TLS here?");
    EXPECT_EQ(pair.ours.write("SET"), 0U);
    EXPECT_EQ(pair.read_all(), "");
  }
}

// Nothing that was damaged is ever handed out.
TEST_P(ATlsStream, EndsAtADamagedByteOfTheHandshakeOrOpensUnharmed) {
  std::size_t opened = 0;
  for (std::size_t at = 0; at < 400; at += 3) {
    TlsPair pair(*context_, server_);
    pair.pass_to_server();
    std::string bytes = pair.theirs.take_output();
    ASSERT_GT(bytes.size(), at);
    bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
    pair.ours.feed(bytes);
    pair.shake();
    if (pair.ours.state() == TlsStream::State::open) ++opened;
    if (pair.ours.state() != TlsStream::State::ended) continue;
    EXPECT_EQ(pair.ours.fault(), Fault::tls) << at;
    EXPECT_FALSE(pair.ours.reason().empty());
  }
  // The version that a record bears is not looked at.
  EXPECT_LT(opened, 5U);
}

TEST_P(ATlsStream, EndsAtADamagedByteOfAReply) {
  TlsPair pair(*context_, server_);
  pair.shake();
  pair.theirs.say("+PONG\r\n");
  std::string bytes = pair.theirs.take_output();
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  pair.ours.feed(bytes);
  EXPECT_EQ(pair.read_all(), "");
  EXPECT_EQ(pair.ours.state(), TlsStream::State::ended);
  EXPECT_EQ(pair.ours.fault(), Fault::tls);
  EXPECT_FALSE(pair.ours.buffered());
  EXPECT_EQ(ERR_peek_error(), 0U) << "it would be taken for another's";
}

TEST_P(ATlsStream, WhatSomebodyElseFailedAtIsNoneOfItsTroubles) {
  test::leave_an_error();
  TlsPair pair(*context_, server_);
  do {
    pair.pass_to_server();
    test::leave_an_error();
  } while (pair.pass_to_client(TlsPair::kAll, 100) > 0 || !pair.ours.output().empty());
  ASSERT_EQ(pair.ours.state(), TlsStream::State::open) << pair.ours.reason();
  pair.theirs.say("+PONG\r\n");
  const std::string record = pair.theirs.take_output();
  pair.ours.feed(std::string_view(record).substr(0, record.size() - 1));
  test::leave_an_error();
  EXPECT_EQ(pair.read_all(), "");
  EXPECT_EQ(pair.ours.state(), TlsStream::State::open) << pair.ours.reason();
}

// By TLS 1.3 the connection is open before the server has looked at what it was shown.
TEST_P(ATlsStream, AServerThatHasAnsweredDidNotLackACertificateOfOurs) {
  SSL_CTX_set_verify(server_.context(), SSL_VERIFY_PEER, nullptr);
  for (const bool answered : {false, true}) {
    TlsPair pair(*context_, server_);
    pair.shake();
    ASSERT_EQ(pair.ours.state(), TlsStream::State::open) << pair.ours.reason();
    if (answered) {
      pair.theirs.say("+");
      pair.pass_to_client();
      EXPECT_EQ(pair.read_all(), "+");
    }
    pair.ours.note_end("it broke");
    EXPECT_EQ(pair.ours.reason(), answered ? "it broke" : certificate_wanted());
  }
}

TEST_P(ATlsStream, ReadsCertificatesUpToTheBoundAndNoLongerOnes) {
  const auto opens_by = [&](std::size_t names) {
    test::CertificateWish policy;
    for (std::size_t i = 0; i < names; ++i) policy.names += ",DNS:" + std::string(200, 'x');
    const Certificate shown = authority().issue(policy);
    const std::size_t bytes = shown.certificate_pem().size() / 65 * 48;
    EXPECT_NEAR(static_cast<double>(bytes), kTlsCertificatesMax, 900) << "near the bound";
    TlsPair pair(*context_, TlsServer(shown, {.tls13 = GetParam()}));
    pair.shake();
    return pair.ours.state() == TlsStream::State::open;
  };
  EXPECT_TRUE(opens_by(500));
  EXPECT_FALSE(opens_by(505));
}

TEST_P(ATlsStream, KnowsAServerAgain) {
  TlsPair first(*context_, server_);
  first.shake();
  first.theirs.say("+OK\r\n");
  first.pass_to_client();
  first.read_all();
  const TlsSession session = first.ours.take_session();
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(first.ours.take_session(), nullptr);
  TlsPair second(*context_, server_, {}, "localhost", session.get());
  second.shake();
  ASSERT_EQ(second.ours.state(), TlsStream::State::open);
  EXPECT_TRUE(second.ours.resumed());
}

// As it is where connections break.
TEST_P(ATlsStream, KnowsAServerAgainThoughNobodySaidGoodbye) {
  TlsSession session;
  {
    TlsPair first(*context_, server_);
    first.shake();
    first.theirs.say("+OK\r\n");
    first.pass_to_client();
    first.read_all();
    session = first.ours.take_session();
  }
  TlsPair second(*context_, server_, {}, "localhost", session.get());
  second.shake();
  EXPECT_TRUE(second.ours.resumed());
}

TEST_P(ATlsStream, SaysGoodbyeBehindEverythingElse) {
  TlsPair pair(*context_, server_);
  pair.shake();
  EXPECT_EQ(pair.ours.write("DEL r\r\n"), 7U);
  pair.ours.say_goodbye();
  pair.pass_to_server();
  EXPECT_EQ(pair.theirs.heard(), "DEL r\r\n");
  EXPECT_TRUE(pair.theirs.told_goodbye());
  EXPECT_EQ(pair.ours.state(), TlsStream::State::ended);
  EXPECT_EQ(pair.ours.write("SET r\r\n"), 0U);
}

TEST_P(ATlsStream, HearsTheServersGoodbyeBehindItsLastReply) {
  TlsPair pair(*context_, server_);
  pair.shake();
  pair.theirs.say("+OK\r\n");
  pair.theirs.say_goodbye();
  pair.pass_to_client();
  EXPECT_EQ(pair.read_all(), "+OK\r\n");
  EXPECT_EQ(pair.ours.state(), TlsStream::State::ended);
  EXPECT_EQ(pair.ours.fault(), Fault::closed);
  EXPECT_EQ(pair.ours.reason(), "the server closed the connection");
}

TEST_P(ATlsStream, HasItsLastByteToSendUntilThatIsSent) {
  TlsPair pair(*context_, server_);
  pair.shake();
  EXPECT_EQ(pair.ours.write("PING\r\n"), 6U);
  pair.ours.mark_sent(pair.ours.output().size() - 1);
  EXPECT_EQ(pair.ours.output().size(), 1U);
  EXPECT_EQ(pair.ours.write("PING\r\n"), 0U);
}

TEST_P(ATlsStream, TakesOneRecordUntilItHasLeft) {
  TlsPair pair(*context_, server_);
  pair.shake();
  const std::string much(3 * kTlsRecordMax, 'x');
  EXPECT_EQ(pair.ours.write(much), kTlsRecordMax);
  EXPECT_EQ(pair.ours.write(much), 0U);
  const std::size_t size = pair.ours.output().size();
  EXPECT_LT(size, kTlsRecordMax + 256);
  const std::string first(pair.ours.output().substr(0, 100));
  pair.ours.mark_sent(100);
  EXPECT_EQ(pair.ours.write(much), 0U);
  const std::string rest(pair.ours.output());
  EXPECT_EQ(rest.size(), size - 100);
  pair.ours.mark_sent(rest.size());
  EXPECT_EQ(pair.ours.write(much), kTlsRecordMax);
  pair.theirs.feed(first + rest);
  EXPECT_EQ(pair.theirs.heard(), std::string(kTlsRecordMax, 'x'));
}

TEST_P(ATlsStream, HandsOutMoreThanThereIsRoomForBitByBit) {
  TlsPair pair(*context_, server_);
  pair.shake();
  pair.theirs.say(std::string(2500, 'x'));
  pair.theirs.say(std::string(2500, 'y'));
  pair.pass_to_client();
  std::array<char, 1000> buffer;
  EXPECT_EQ(pair.ours.read(buffer), 1000U);
  EXPECT_TRUE(pair.ours.buffered());
  EXPECT_EQ(pair.read_all(), std::string(1500, 'x') + std::string(2500, 'y'));
  EXPECT_FALSE(pair.ours.buffered());
  pair.theirs.say(std::string(buffer.size(), 'z'));
  pair.pass_to_client();
  EXPECT_EQ(pair.ours.read(buffer), buffer.size());
  EXPECT_FALSE(pair.ours.buffered()) << "that was all";
}

TEST(ATlsStreamsFirstWords, TellTlsFromEverythingElse) {
  const std::shared_ptr<SSL_CTX> context = test::client_context(authority());
  const auto speaks_tls = [&](std::initializer_list<std::string_view> slices) {
    TlsStream stream(*context, {}, "localhost", nullptr);
    for (const std::string_view slice : slices) stream.feed(slice);
    const bool speaks = stream.state() == TlsStream::State::shaking;
    EXPECT_EQ(stream.reason(), speaks ? "" : "the server does not speak TLS");
    return speaks;
  };
  // The kinds of records are 20 to 23, and the first byte of their version is 3.
  for (const std::string_view kind : {"\x14", "\x15", "\x16", "\x17"}) {
    EXPECT_TRUE(speaks_tls({kind}));
    EXPECT_TRUE(speaks_tls({kind, "\x03", "\x01"}));
  }
  for (const std::string_view other : {"\x13", "\x18", "+", "H"}) {
    EXPECT_FALSE(speaks_tls({other})) << other;
    EXPECT_FALSE(speaks_tls({other, "\x03", "\x03"})) << other;
  }
  EXPECT_TRUE(speaks_tls({"\x16\x03\x01"}));
  for (const std::string_view version : {"\x02", "\x04"}) {
    EXPECT_FALSE(speaks_tls({"\x16", version}));
    EXPECT_FALSE(speaks_tls({"\x16" + std::string(version) + "\x03"}));
  }
  // What lies behind it in memory has not come.
  EXPECT_TRUE(speaks_tls({std::string_view("\x16x").substr(0, 1)}));
}

TEST_P(ATlsStream, IsFedNoMoreThanTheBoundAndSendsNoMoreThanThereIs) {
  TlsPair pair(*context_, server_);
  pair.shake();
  EXPECT_DEATH(pair.ours.feed(std::string(kTlsFeedMax + 1, 'x')), "kTlsFeedMax");
  EXPECT_EQ(pair.ours.write("PING\r\n"), 6U);
  EXPECT_DEATH(pair.ours.mark_sent(pair.ours.output().size() + 1), "taken");
}

// Some suites have no certificate at all, and OpenSSL then asks nobody whether that will do.
TEST(ATlsStreamOfVersion12, TrustsNobodyWhoShowsNoCertificate) {
  const TlsServer server(good(), {.tls13 = false});
  ASSERT_EQ(SSL_CTX_set_cipher_list(server.context(), "aNULL:@SECLEVEL=0"), 1);
  const auto context = test::client_context(authority());
  ASSERT_EQ(SSL_CTX_set_cipher_list(context.get(), "ALL:@SECLEVEL=0"), 1);
  TlsPair pair(*context, server);
  pair.shake();
  EXPECT_EQ(pair.ours.state(), TlsStream::State::ended);
  EXPECT_EQ(pair.ours.fault(), Fault::tls);
  EXPECT_EQ(pair.ours.reason(), "the server showed no certificate");
}

}  // namespace
}  // namespace redlock::tls_stream_test
