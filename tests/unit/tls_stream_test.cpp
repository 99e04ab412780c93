// A connection's TLS against a real server side, without a socket: byte by byte, and cut off.
#include "redlock/wire/tls_stream.hpp"

#include <gtest/gtest.h>

#include "support/tls_pair.hpp"

namespace redlock {
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

TEST(ATlsStreamOfVersion13, ReadsNoMoreWhileItsAnswersToNewKeysAreNotTaken) {
  const std::shared_ptr<SSL_CTX> context = test::client_context(authority());
  const TlsServer server(good());
  TlsPair pair(*context, server);
  pair.shake();
  std::size_t fed = 0;
  for (; fed < 200'000 && pair.ours.output().size() <= kTlsOutputMax;) {
    for (int i = 0; i < 100; ++i) pair.theirs.ask_for_new_keys();
    fed += pair.pass_to_client();
    EXPECT_EQ(pair.read_all(), "");
  }
  ASSERT_EQ(pair.ours.state(), TlsStream::State::open) << pair.ours.reason();
  ASSERT_GT(pair.ours.output().size(), kTlsOutputMax);
  EXPECT_LT(pair.ours.output().size(), kTlsOutputMax + kTlsFeedMax + 1024);
  pair.theirs.say("+OK\r\n");
  pair.pass_to_client();
  EXPECT_FALSE(pair.ours.buffered());
  EXPECT_EQ(pair.read_all(), "");
  pair.pass_to_server();
  EXPECT_TRUE(pair.ours.buffered());
  EXPECT_EQ(pair.read_all(), "+OK\r\n");
}

}  // namespace
}  // namespace redlock
