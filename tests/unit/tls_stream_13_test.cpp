// What only TLS 1.3 has: messages in the midst of a conversation, new keys and tickets.
#include <gtest/gtest.h>
#include <openssl/err.h>

#include <optional>

#include "support/tls_pair.hpp"

namespace redlock::tls_stream_13_test {
namespace {

using test::Certificate;
using test::TlsPair;
using test::TlsServer;

class ATlsStreamOfVersion13 : public testing::Test {
 protected:
  void show_ours() {
    EXPECT_EQ(SSL_CTX_use_certificate(context_.get(), good_.certificate()), 1);
    EXPECT_EQ(SSL_CTX_use_PrivateKey(context_.get(), good_.key()), 1);
  }

  Certificate authority_ = Certificate::authority();
  Certificate good_ = authority_.issue();
  std::shared_ptr<SSL_CTX> context_ = test::client_context(authority_);
};

// A ticket holds the certificate that the server was shown, and takes two records here.
class InTheMidstOfAMessage : public ATlsStreamOfVersion13 {
 protected:
  InTheMidstOfAMessage() {
    SSL_CTX_set_max_send_fragment(server_.context(), 512);
    show_ours();
    pair_.emplace(*context_, server_);
    pair_->pass_to_server();
    pair_->pass_to_client();
    EXPECT_EQ(pair_->ours.state(), TlsStream::State::open) << pair_->ours.reason();
    pair_->pass_to_server();
    rest_ = pair_->theirs.take_output();
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(rest_.at(at)); };
    const std::size_t first = 5U + 256U * byte(3) + byte(4);
    EXPECT_LT(first, rest_.size());
    pair_->ours.feed(std::string_view(rest_).substr(0, first));
    EXPECT_EQ(pair_->read_all(), "");
    rest_.erase(0, first);
  }

  TlsServer server_{good_, {.clients = &authority_}};
  std::optional<TlsPair> pair_;
  std::string rest_;
};

TEST_F(InTheMidstOfAMessage, NothingIsWrittenUntilTheRestHasCome) {
  TlsStream& ours = pair_->ours;
  test::leave_an_error();
  EXPECT_EQ(ours.write("PING\r\n"), 0U);
  EXPECT_EQ(ours.state(), TlsStream::State::open) << ours.reason();
  EXPECT_TRUE(ours.reads_first());
  EXPECT_FALSE(ours.holds_plain());
  ours.feed(rest_);
  EXPECT_FALSE(ours.reads_first());
  EXPECT_EQ(pair_->read_all(), "");
  EXPECT_EQ(ours.write("PING\r\n"), 6U);
  pair_->pass_to_server();
  EXPECT_EQ(pair_->theirs.heard(), "PING\r\n");
}

TEST_F(InTheMidstOfAMessage, AGoodbyeThatCannotBeSaidLeavesNoErrorBehind) {
  pair_->ours.say_goodbye();
  EXPECT_EQ(pair_->ours.state(), TlsStream::State::ended);
  EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST_F(ATlsStreamOfVersion13, AServerThatEndsWithoutAWordWasShownOurCertificateWhereThereIsOne) {
  show_ours();
  TlsPair pair(*context_, TlsServer(good_, {.clients = &authority_}));
  pair.shake();
  ASSERT_EQ(pair.ours.state(), TlsStream::State::open) << pair.ours.reason();
  pair.ours.note_end("it broke");
  EXPECT_EQ(pair.ours.reason(), "it broke");
}

TEST_F(ATlsStreamOfVersion13, ReadsAndWritesUntilMoreThanTheBoundWaitsToLeave) {
  const TlsServer server(good_);
  TlsPair pair(*context_, server);
  pair.shake();
  const auto pass_all_but = [&](std::size_t left) {
    const std::string waiting(pair.ours.output());
    pair.theirs.feed(std::string_view(waiting).substr(0, waiting.size() - left));
    pair.ours.mark_sent(waiting.size() - left);
  };
  for (int i = 0; i < 5'000 && pair.ours.output().size() <= kTlsOutputMax; ++i) {
    pair.theirs.ask_for_new_keys();
    pair.pass_to_client();
    EXPECT_EQ(pair.read_all(), "");
  }
  ASSERT_GT(pair.ours.output().size(), kTlsOutputMax);
  pair.theirs.say("+OK\r\n");
  pair.pass_to_client();
  pass_all_but(kTlsOutputMax + 1);
  EXPECT_FALSE(pair.ours.buffered());
  EXPECT_EQ(pair.ours.write("PING\r\n"), 0U);
  pass_all_but(kTlsOutputMax);
  EXPECT_TRUE(pair.ours.buffered());
  EXPECT_EQ(pair.read_all(), "+OK\r\n");
  EXPECT_EQ(pair.ours.write("PING\r\n"), 6U);
  pair.pass_to_server();
  EXPECT_EQ(pair.theirs.heard(), "PING\r\n");
}

TEST_F(ATlsStreamOfVersion13, ReadsNoMoreWhileItsAnswersToNewKeysAreNotTaken) {
  const TlsServer server(good_);
  TlsPair pair(*context_, server);
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
}  // namespace redlock::tls_stream_13_test
