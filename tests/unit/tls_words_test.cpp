// Why a server is not talked to: each kind of bad certificate, and what servers say of ours.
#include "redlock/wire/tls_words.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>

#include "support/tls_pair.hpp"

namespace redlock::tls_words_test {
namespace {

using test::Certificate;
using test::CertificateWish;
using test::TlsPair;
using test::TlsServer;

const Certificate& authority() {
  static const Certificate kAuthority = Certificate::authority();
  return kAuthority;
}

// What comes of connecting to a server that shows this; empty: it is open.
std::string attempt(const Certificate& shown, const TlsOptions& options = {},
                    const std::string& name = "localhost") {
  const std::shared_ptr<SSL_CTX> context = test::client_context(authority());
  const TlsServer server(shown);
  TlsPair pair(*context, server, options, name);
  pair.shake();
  if (pair.ours.state() == TlsStream::State::open) return {};
  EXPECT_EQ(pair.ours.state(), TlsStream::State::ended);
  EXPECT_EQ(pair.ours.fault(), Fault::tls);
  return pair.ours.reason();
}

CertificateWish named(const std::string& names) {
  CertificateWish policy;
  policy.names = names;
  return policy;
}

TEST(TlsWords, ACertificateThatHasExpired) {
  CertificateWish policy;
  policy.valid_from_hours = -48;
  policy.valid_to_hours = -1;
  EXPECT_EQ(attempt(authority().issue(policy)), "the server's certificate has expired");
}

TEST(TlsWords, ACertificateThatIsNotValidYet) {
  CertificateWish policy;
  policy.valid_from_hours = 2;
  EXPECT_EQ(attempt(authority().issue(policy)), "the server's certificate is not valid yet");
}

TEST(TlsWords, ACertificateOfAnotherAuthority) {
  EXPECT_EQ(attempt(Certificate::authority().issue()),
            "the server's certificate comes from an authority that is not trusted");
}

TEST(TlsWords, ASelfSignedCertificate) {
  EXPECT_EQ(attempt(Certificate::self_signed()),
            "the server's certificate is self-signed, and not among those that are trusted");
}

TEST(TlsWords, ACertificateForAnotherHost) {
  EXPECT_EQ(attempt(authority().issue(named("DNS:other.example"))),
            "the server's certificate is not for localhost");
  EXPECT_EQ(attempt(authority().issue(named("IP:127.0.0.1")), {}, "127.0.0.2"),
            "the server's certificate is not for 127.0.0.2");
  // A name that reads like the address is none.
  EXPECT_EQ(attempt(authority().issue(named("DNS:127.0.0.1")), {}, "127.0.0.1"),
            "the server's certificate is not for 127.0.0.1");
  EXPECT_EQ(attempt(authority().issue(named("")), {}, "127.0.0.1"),
            "the server's certificate is not for 127.0.0.1");
}

TEST(TlsWords, AStarStandsForAWholeLabelAndNoPartOfOne) {
  EXPECT_EQ(attempt(authority().issue(named("DNS:l*.example.org")), {}, "lock.example.org"),
            "the server's certificate is not for lock.example.org");
}

TEST(TlsWords, ACertificateForThisHost) {
  EXPECT_EQ(attempt(authority().issue()), "");
  EXPECT_EQ(attempt(authority().issue(), {}, "localhost."), "");
  EXPECT_EQ(attempt(authority().issue(), {}, "127.0.0.1"), "");
  EXPECT_EQ(attempt(authority().issue(), {}, "::1"), "");
  EXPECT_EQ(attempt(authority().issue(named("DNS:*.example.org")), {}, "a.example.org"), "");
  TlsOptions options;
  options.peer_name = "other.example";
  EXPECT_EQ(attempt(authority().issue(named("DNS:other.example")), options), "");
  EXPECT_EQ(attempt(authority().issue(), options),
            "the server's certificate is not for other.example");
}

TEST(TlsWords, WhatIsNotLookedAtIsNoReason) {
  TlsOptions any_name;
  any_name.verify_peer_name = false;
  EXPECT_EQ(attempt(authority().issue(named("DNS:other.example")), any_name), "");
  EXPECT_EQ(attempt(Certificate::self_signed(), any_name),
            "the server's certificate is self-signed, and not among those that are trusted");
  TlsOptions name_alone;
  name_alone.verify_peer = false;
  EXPECT_EQ(attempt(Certificate::self_signed(), name_alone), "");
  EXPECT_EQ(attempt(Certificate::self_signed(named("DNS:other.example")), name_alone),
            "the server's certificate is not for localhost");
  TlsOptions nothing = name_alone;
  nothing.verify_peer_name = false;
  EXPECT_EQ(attempt(Certificate::self_signed(named("DNS:other.example")), nothing), "");
}

TEST(TlsWords, NoNameToCompareWith) {
  EXPECT_EQ(attempt(authority().issue(), {}, ""), "no name to compare the certificate with");
}

TEST(TlsWords, APlainServer) {
  const std::shared_ptr<SSL_CTX> context = test::client_context(authority());
  for (const std::string words :
       {"-ERR unknown command\r\n", "H", "HTTP/1.1 400 Bad Request\r\n"}) {
    TlsStream stream(*context, {}, "localhost", nullptr);
    stream.feed(words);
    ASSERT_EQ(stream.state(), TlsStream::State::ended);
    EXPECT_EQ(stream.fault(), Fault::tls);
    EXPECT_EQ(stream.reason(), "the server does not speak TLS");
  }
}

TEST(TlsWords, AByteThatOnlyBeginsLikeTlsIsSeenThrough) {
  const std::shared_ptr<SSL_CTX> context = test::client_context(authority());
  TlsStream stream(*context, {}, "localhost", nullptr);
  stream.feed("\x16");
  EXPECT_EQ(stream.state(), TlsStream::State::shaking);
  stream.feed("x");
  EXPECT_EQ(stream.reason(), "the server does not speak TLS");
}

// Version 1.3 is open for the client before the server has looked at its certificate.
TEST(TlsWords, ACertificateOfOursThatIsMissing) {
  const std::string wanted =
      "the server wants a certificate of ours, and there is none: option "
      "local_cert";
  const std::shared_ptr<SSL_CTX> context = test::client_context(authority());
  for (const bool tls13 : {true, false}) {
    const TlsServer server(authority().issue(), {.tls13 = tls13, .clients = &authority()});
    TlsPair pair(*context, server);
    pair.shake();
    EXPECT_EQ(pair.ours.state() == TlsStream::State::open, tls13);
    EXPECT_EQ(pair.read_all(), "");
    EXPECT_EQ(pair.ours.fault(), Fault::tls);
    EXPECT_EQ(pair.ours.reason(), wanted);
    // Also where its complaint was lost.
    TlsPair lost(*context, server);
    lost.pass_to_server();
    lost.pass_to_client();
    lost.pass_to_server();
    EXPECT_NE(lost.theirs.take_output(), "");
    lost.ours.note_end("it broke");
    EXPECT_EQ(lost.ours.fault(), Fault::tls);
    EXPECT_EQ(lost.ours.reason(), wanted);
  }
}

TEST(TlsWords, ACertificateOfOursThatIsNotAccepted) {
  const std::shared_ptr<SSL_CTX> context = test::client_context(authority());
  const Certificate foreign = Certificate::authority().issue();
  SSL_CTX_use_certificate(context.get(), foreign.certificate());
  SSL_CTX_use_PrivateKey(context.get(), foreign.key());
  const TlsServer server(authority().issue(), {.clients = &authority()});
  TlsPair pair(*context, server);
  pair.shake();
  pair.read_all();
  EXPECT_EQ(pair.ours.fault(), Fault::tls);
  EXPECT_EQ(pair.ours.reason(),
            "the server does not trust the authority that our certificate comes from");
}

// By their numbers in RFC 8446, as OpenSSL keeps what a server sent.
TEST(TlsWords, WhatAServerSaysOfOurCertificateOrItsName) {
  const auto words = [](int alert) {
    ERR_raise(ERR_LIB_SSL, SSL_AD_REASON_OFFSET + alert);
    return tls_trouble({.name = "h", .shows_ours = true});
  };
  for (const int alert : {42, 43, 46, 49, 51}) {
    EXPECT_EQ(words(alert), "the server does not accept our certificate") << alert;
  }
  EXPECT_EQ(words(44), "the server says that our certificate was revoked");
  EXPECT_EQ(words(45), "the server says that our certificate has expired");
  EXPECT_EQ(words(48), "the server does not trust the authority that our certificate comes from");
  EXPECT_EQ(words(112), "the server does not know the name h");
  EXPECT_EQ(words(80), "the server ended TLS: internal error");
}

// A host process with OpenSSL of its own would take them for errors of its own.
TEST(TlsWords, LeaveNoErrorBehindHoweverManyThereWere) {
  for (const int alert : {42, 44}) ERR_raise(ERR_LIB_SSL, SSL_AD_REASON_OFFSET + alert);
  EXPECT_EQ(tls_trouble({.name = "h", .shows_ours = true}),
            "the server does not accept our certificate");
  EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST(TlsWords, ARefusalOfOurCertificateWhereNoneIsShownWantsOne) {
  for (const int alert : {40, 42, 116}) {
    ERR_raise(ERR_LIB_SSL, SSL_AD_REASON_OFFSET + alert);
    EXPECT_EQ(tls_trouble({.name = "h", .wants_ours = true}), certificate_wanted()) << alert;
  }
}

TEST(TlsWords, WhoAskedForNoCertificateMissesNone) {
  const auto words = [](int alert) {
    ERR_raise(ERR_LIB_SSL, SSL_AD_REASON_OFFSET + alert);
    return tls_trouble({.name = "h"});
  };
  EXPECT_EQ(words(40),
            "the server refused the handshake: no version, cipher or certificate that it accepts");
  EXPECT_EQ(words(42), "the server does not accept our certificate");
}

TEST(TlsWords, AServerOfOldVersions) {
  const std::shared_ptr<SSL_CTX> context = test::client_context(authority());
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  const TlsServer server(authority().issue(), {.tls13 = false});
  TlsPair pair(*context, server);
  pair.shake();
  EXPECT_EQ(pair.ours.reason(), "the server speaks no version of TLS that we do: 1.2 or later");
}

}  // namespace
}  // namespace redlock::tls_words_test
