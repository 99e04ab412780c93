// The options of TLS, each by its name in PHP, and what they mean together.
#include "redlock/config/tls_draft.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "redlock/config/endpoint.hpp"
#include "support/allocations.hpp"
#include "support/refusal.hpp"

namespace redlock::tls_draft_test {
namespace {

using test::refusal;
using testing::HasSubstr;

constexpr const char* kTexts[] = {"cafile",     "capath",    "local_cert", "local_pk",
                                  "passphrase", "peer_name", "ciphers"};

TEST(TlsDraft, EveryNameHasItsKind) {
  for (const char* name : kTexts) EXPECT_EQ(tls_kind(name), TlsKind::text) << name;
  for (const char* name : {"verify_peer", "verify_peer_name", "allow_self_signed"}) {
    EXPECT_EQ(tls_kind(name), TlsKind::flag) << name;
  }
  for (const char* name : {"crypto_method", "crypto_type"}) {
    EXPECT_EQ(tls_kind(name), TlsKind::methods) << name;
  }
  for (const char* name :
       {"SNI_enabled", "disable_compression", "capture_peer_cert", "capture_peer_cert_chain"}) {
    EXPECT_EQ(tls_kind(name), TlsKind::idle) << name;
  }
  for (const char* name : {"", "Cafile", "peer_fingerprint", "verify_depth", "security_level"}) {
    EXPECT_EQ(tls_kind(name), TlsKind::unknown) << name;
  }
  EXPECT_THAT(refusal([] { refuse_tls_option("'x'"); }), HasSubstr("option of TLS 'x'"));
}

TEST(TlsDraft, EveryOptionMakesAnotherConnection) {
  for (const char* name : kTexts) {
    TlsDraft draft;
    EXPECT_FALSE(draft.given());
    draft.set_text(name, "x");
    EXPECT_TRUE(draft.given()) << name;
    EXPECT_NE(draft.options(), TlsOptions{}) << name;
  }
  for (const char* name : {"verify_peer", "verify_peer_name"}) {
    TlsDraft draft;
    draft.set_flag(name, false);
    EXPECT_TRUE(draft.given()) << name;
    EXPECT_NE(draft.options(), TlsOptions{}) << name;
  }
}

TEST(TlsDraft, AnEmptyTextIsNoOption) {
  TlsDraft draft;
  for (const char* name : kTexts) draft.set_text(name, "");
  EXPECT_FALSE(draft.given());
  EXPECT_EQ(draft.options(), TlsOptions{});
}

TEST(TlsDraft, APassphraseIsWipedWhereverItPassed) {
  const std::string passphrase = "a passphrase that is too long to stand in the string itself";
  const test::WatchedBytes watched(passphrase);
  {
    TlsDraft draft;
    draft.set_text("passphrase", passphrase);
    EXPECT_EQ(draft.options().passphrase, Secret(passphrase));
  }
  EXPECT_EQ(watched.leaks(), 0U);
}

TEST(TlsDraft, WhoeverSignsForHimselfIsNamed) {
  TlsDraft draft;
  draft.set_flag("allow_self_signed", true);
  EXPECT_THAT(refusal([&] { static_cast<void>(draft.options()); }), HasSubstr("cafile"));
  TlsDraft named = draft;
  named.set_text("cafile", "/server.pem");
  EXPECT_EQ(named.options().cafile, "/server.pem");
  TlsDraft in_folder = draft;
  in_folder.set_text("capath", "/certs");
  EXPECT_EQ(in_folder.options().capath, "/certs");
  draft.set_flag("verify_peer", false);
  EXPECT_FALSE(draft.options().verify_peer);
  draft = TlsDraft();
  draft.set_flag("allow_self_signed", false);
  EXPECT_EQ(draft.options(), TlsOptions{});
}

TEST(TlsDraft, TheMethodsMustHoldTlsOneTwo) {
  TlsDraft draft;
  draft.set_methods("crypto_method", 33);   // TLS 1.2
  draft.set_methods("crypto_method", 121);  // every TLS
  EXPECT_TRUE(draft.given());
  for (const std::int64_t methods : {0, 1, 9, 17, 65}) {
    EXPECT_THAT(refusal([&] { draft.set_methods("crypto_type", methods); }),
                HasSubstr("crypto_type must allow TLS 1.2"))
        << methods;
  }
}

TEST(CheckTls, TextsAreBoundedAndHoldNoNullByte) {
  for (const char* name : kTexts) {
    const auto checked = [&](std::string text) {
      return refusal([&] {
        TlsDraft draft;
        draft.set_text("local_cert", "/c.pem");
        draft.set_text(name, text);
        check_tls(draft.options());
      });
    };
    const bool secret = std::string_view(name) == "passphrase";
    const std::size_t most = secret ? kTlsPassphraseBytesMax : kTlsTextBytesMax;
    EXPECT_EQ(checked(std::string(most, 'x')), "accepted") << name;
    EXPECT_EQ(checked(std::string(most + 1, 'x')),
              std::string(name) + " must be at most " + std::to_string(most) + " bytes long");
    EXPECT_THAT(checked(std::string(kTlsTextBytesMax + 1, 'x')), HasSubstr(name));
    EXPECT_THAT(checked(std::string("a\0b", 3)),
                HasSubstr(std::string(name) + " must not contain"));
  }
}

TEST(CheckTls, AFileIsNamedAndNotWrittenDown) {
  const std::string key = "-----BEGIN PRIVATE KEY-----\nMIGH";
  for (const auto field :
       {&TlsOptions::cafile, &TlsOptions::capath, &TlsOptions::local_cert, &TlsOptions::local_pk}) {
    TlsOptions options;
    options.*field = key;
    try {
      check_tls(options);
      ADD_FAILURE() << "it is taken";
    } catch (const ArgumentError& error) {
      EXPECT_EQ(std::string(error.what()).find("MIGH"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("path of a file"), std::string::npos);
    }
  }
}

TEST(CheckTls, APeerIsNoDomain) {
  TlsOptions options;
  options.peer_name = ".example.com";
  EXPECT_THROW(check_tls(options), ArgumentError);
}

TEST(CheckTls, APassphraseThatOpensslWouldCutIsRefused) {
  TlsOptions options;
  options.local_cert = "/c";
  options.passphrase = Secret(std::string(kTlsPassphraseBytesMax + 1, 'p'));
  EXPECT_THROW(check_tls(options), ArgumentError);
}

TEST(CheckTls, AKeyIsForACertificate) {
  TlsOptions options;
  options.local_pk = "/k.pem";
  EXPECT_EQ(refusal([&] { check_tls(options); }), "local_pk needs a local_cert");
  options = {};
  options.passphrase = "hunter2";
  EXPECT_EQ(refusal([&] { check_tls(options); }), "passphrase needs a local_cert");
  options.local_cert = "/c.pem";
  EXPECT_EQ(refusal([&] { check_tls(options); }), "accepted");
}

}  // namespace
}  // namespace redlock::tls_draft_test
