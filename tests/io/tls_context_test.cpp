// What is made of files: trust, certificates of ours and their keys; and each kind of bad file.
#include "redlock/runtime/tls_context.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>
#include <sys/stat.h>

#include <filesystem>

#include "io/support/temp_folder.hpp"
#include "support/certificates.hpp"

namespace redlock {
namespace {

using test::Certificate;
using test::temp_path;
using test::write_file;

class TlsFiles : public testing::Test {
 protected:
  // Why there can be no stream; empty: there is one.
  static std::string trouble_with(const TlsOptions& options) {
    TlsContexts contexts;
    return trouble_with(options, contexts);
  }
  static std::string trouble_with(const TlsOptions& options, TlsContexts& contexts) {
    Endpoint server;
    server.host = "localhost";
    server.tls = options;
    const TlsContexts::Begun begun = contexts.begin(server);
    EXPECT_EQ(begun.stream == nullptr, !begun.trouble.empty());
    // What OpenSSL kept of it would be taken for the next stream's trouble.
    EXPECT_EQ(ERR_peek_error(), 0U);
    return begun.trouble;
  }
  // Both in files of their own.
  static TlsOptions showing(const Certificate& certificate, const std::string& key) {
    TlsOptions options;
    options.local_cert = write_file(temp_path("certificate"), certificate.certificate_pem());
    options.local_pk = write_file(temp_path("key"), key);
    return options;
  }

  Certificate good_ = Certificate::self_signed();
};

TEST_F(TlsFiles, TheSystemsAuthoritiesAreTrustedWhereNobodyIsNamed) {
  EXPECT_TRUE(tls_available());
  EXPECT_NE(openssl_version().find("SSL"), std::string::npos);
  EXPECT_EQ(trouble_with({}), "");
}

TEST_F(TlsFiles, ACertificateAndItsKeyTogetherOrApart) {
  EXPECT_EQ(trouble_with(showing(good_, good_.key_pem())), "");
  TlsOptions options;
  options.local_cert = write_file(temp_path("both"), good_.key_pem() + good_.certificate_pem());
  EXPECT_EQ(trouble_with(options), "");
  options.cafile = options.local_cert;
  EXPECT_EQ(trouble_with(options), "");
  TlsOptions folder;
  folder.capath = test::temp_folder();
  EXPECT_EQ(trouble_with(folder), "");
}

TEST_F(TlsFiles, AKeyIsReadWithItsPassphraseAndNoOther) {
  TlsOptions options = showing(good_, good_.key_pem("Secret1"));
  EXPECT_EQ(trouble_with(options),
            "local_pk " + options.local_pk + ": the key is encrypted, and there is no passphrase");
  options.passphrase = "Secret1";
  EXPECT_EQ(trouble_with(options), "");
  // By chance another may seem to fit at first; not that of a test.
  for (const std::string other : {"secret1", "Secret1 ", "x"}) {
    options.passphrase = other;
    EXPECT_EQ(trouble_with(options),
              "local_pk " + options.local_pk + ": the key is encrypted with another passphrase");
  }
  options.passphrase = std::string(100'000, 'x');
  EXPECT_EQ(trouble_with(options),
            "local_pk " + options.local_pk + ": the key is encrypted with another passphrase");
}

TEST_F(TlsFiles, AKeyThatDoesNotBelongToTheCertificate) {
  const TlsOptions options = showing(good_, Certificate::self_signed().key_pem());
  EXPECT_EQ(trouble_with(options),
            "local_pk " + options.local_pk + ": the key does not belong to local_cert");
}

TEST_F(TlsFiles, FilesThatAreMissing) {
  TlsOptions options;
  options.cafile = "/no/such/file";
  EXPECT_EQ(trouble_with(options), "cafile /no/such/file: No such file or directory");
  options = {};
  options.capath = "/no/such/folder";
  EXPECT_EQ(trouble_with(options), "capath /no/such/folder: No such file or directory");
  options = showing(good_, good_.key_pem());
  options.local_pk = "/no/such/key";
  EXPECT_EQ(trouble_with(options), "local_pk /no/such/key: No such file or directory");
  options.local_cert = "/no/such/cert";
  EXPECT_EQ(trouble_with(options), "local_cert /no/such/cert: No such file or directory");
}

// A pipe that nobody writes to would hold up everything.
TEST_F(TlsFiles, WhatIsNoFileIsNotRead) {
  const std::string pipe = temp_path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  TlsOptions options;
  options.cafile = pipe;
  EXPECT_EQ(trouble_with(options), "cafile " + pipe + ": is no file");
  options.cafile = test::temp_folder();
  EXPECT_EQ(trouble_with(options), "cafile " + options.cafile + ": is no file");
  options = {};
  options.capath = write_file(temp_path("file"), "");
  EXPECT_EQ(trouble_with(options), "capath " + options.capath + ": is no folder");
}

TEST_F(TlsFiles, FilesThatHoldSomethingElse) {
  const std::string rubbish = write_file(temp_path("rubbish"), "no certificate\n");
  TlsOptions options;
  options.cafile = rubbish;
  EXPECT_EQ(trouble_with(options).find("cafile " + rubbish + ": holds no certificates"), 0U);
  options = {};
  options.local_cert = rubbish;
  EXPECT_EQ(trouble_with(options).find("local_cert " + rubbish + ": holds no certificate"), 0U);
  options = showing(good_, "no key");
  EXPECT_EQ(trouble_with(options).find("local_pk " + options.local_pk + ": holds no private key"),
            0U);
  // A certificate without its key.
  options.local_pk.clear();
  EXPECT_EQ(
      trouble_with(options).find("local_cert " + options.local_cert + ": holds no private key"),
      0U);
}

TEST_F(TlsFiles, CiphersThatNobodyKnows) {
  TlsOptions options;
  options.ciphers = "NO-SUCH-CIPHER";
  EXPECT_EQ(trouble_with(options), "ciphers: OpenSSL knows none of these");
  // Nor such as need no certificate.
  options.ciphers = "aNULL:@SECLEVEL=0";
  EXPECT_EQ(trouble_with(options), "ciphers: OpenSSL knows none of these");
  options.ciphers = "HIGH:!aNULL";
  EXPECT_EQ(trouble_with(options), "");
}

TEST_F(TlsFiles, AFileThatWasReplacedIsReadAgain) {
  TlsContexts contexts;
  TlsOptions options = showing(good_, good_.key_pem());
  EXPECT_EQ(trouble_with(options, contexts), "");
  const Certificate next = Certificate::self_signed();
  write_file(options.local_pk, next.key_pem() + "\n");
  EXPECT_NE(trouble_with(options, contexts), "");
  write_file(options.local_cert, next.certificate_pem() + "\n");
  EXPECT_EQ(trouble_with(options, contexts), "");
}

TEST_F(TlsFiles, ManyDifferentOnesAreNotKept) {
  TlsContexts contexts;
  TlsOptions options;
  options.cafile = write_file(temp_path("authority"), good_.certificate_pem());
  options.ciphers = "HIGH";
  for (std::size_t i = 0; i < 3 * kTlsContextsMax; ++i) {
    options.ciphers += ":!aNULL";
    EXPECT_EQ(trouble_with(options, contexts), "");
  }
}

}  // namespace
}  // namespace redlock
