// What is made of files: trust, certificates of ours and their keys; and each kind of bad file.
#include "redlock/os/tls_context.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "io/support/temp_folder.hpp"
#include "redlock/config/tls_draft.hpp"
#include "redlock/os/clock.hpp"
#include "support/certificates.hpp"
#include "support/system_calls.hpp"
#include "support/tls_server.hpp"

namespace redlock::tls_context_test {
namespace {

using test::Certificate;
using test::temp_path;
using test::write_file;

// As nobody can see who looks at its date, size and number.
void change_unseen(const std::string& path, std::string text) {
  struct stat before{};
  ASSERT_EQ(stat(path.c_str(), &before), 0);
  text.resize(static_cast<std::size_t>(before.st_size), '\n');
  write_file(path, text);
  const std::array<timespec, 2> times{before.st_atim, before.st_mtim};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
}

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

TEST_F(TlsFiles, APassphraseMayBeAsLongAsTheBound) {
  const std::string longest(kTlsPassphraseBytesMax, 'x');
  TlsOptions options = showing(good_, good_.key_pem(longest));
  options.passphrase = longest;
  EXPECT_EQ(trouble_with(options), "");
}

TEST_F(TlsFiles, AKeyThatDoesNotBelongToTheCertificate) {
  for (const std::string& key :
       {Certificate::self_signed().key_pem(), test::key_of_another_kind()}) {
    const TlsOptions options = showing(good_, key);
    EXPECT_EQ(trouble_with(options),
              "local_pk " + options.local_pk + ": the key does not belong to local_cert");
  }
}

TEST_F(TlsFiles, NobodyIsAskedForThePassphraseOfACertificate) {
  TlsOptions options = showing(good_, good_.key_pem());
  write_file(options.local_cert, good_.certificate_pem("Secret1"));
  options.passphrase = "Secret1";
  const std::string trouble = "local_cert " + options.local_cert + ": holds no certificate";
  EXPECT_EQ(trouble_with(options).find(trouble), 0U);
}

TEST_F(TlsFiles, WhatSomebodyElseFailedAtIsNotToldAsTheirTrouble) {
  TlsOptions options;
  options.cafile = write_file(temp_path("rubbish"), "no certificate\n");
  const std::string trouble = trouble_with(options);
  test::leave_an_error();
  EXPECT_EQ(trouble_with(options), trouble);
}

TEST_F(TlsFiles, WhereNobodyIsVerifiedNoAuthoritiesAreRead) {
  TlsOptions options;
  options.cafile = write_file(temp_path("rubbish"), "no certificate\n");
  options.verify_peer = false;
  EXPECT_EQ(trouble_with(options), "");
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
  // Nor such as hide nothing.
  options.ciphers = "eNULL:@SECLEVEL=0";
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

TEST_F(TlsFiles, AreReadWhenTheyArePreparedAndNotOnlyWhenTheyAreNeeded) {
  const TlsOptions options = showing(good_, good_.key_pem());
  TlsContexts prepared;
  prepared.prepare(options);
  change_unseen(options.local_cert, "no certificate");
  EXPECT_EQ(trouble_with(options, prepared), "");
  EXPECT_NE(trouble_with(options), "");
  TlsOptions missing;
  missing.cafile = temp_path("nothing");
  EXPECT_NO_THROW(prepared.prepare(missing));
}

TEST_F(TlsFiles, NoServerIsSpokenToByTlsThatWasNotMeantTo) {
  TlsContexts contexts;
  const Endpoint plain;
  EXPECT_DEATH(static_cast<void>(contexts.begin(plain)), "has_value");
}

TEST_F(TlsFiles, WhoAServerMustBeIsNoMatterOfTheFiles) {
  TlsContexts contexts;
  TlsOptions options;
  options.cafile = write_file(temp_path("authority"), good_.certificate_pem());
  EXPECT_EQ(trouble_with(options, contexts), "");
  change_unseen(options.cafile, "rubbish");
  options.peer_name = "other";
  EXPECT_EQ(trouble_with(options, contexts), "");
  options.verify_peer_name = false;
  EXPECT_EQ(trouble_with(options, contexts), "");
  options.ciphers = "HIGH";
  EXPECT_NE(trouble_with(options, contexts), "") << "it is read for other options";
}

TEST_F(TlsFiles, WhatWasReadIsKeptUpToTheBoundAndThenReadAnew) {
  TlsContexts contexts;
  const std::string cafile = write_file(temp_path("authority"), good_.certificate_pem());
  const auto trouble = [&](std::size_t number) {
    TlsOptions options;
    options.cafile = cafile;
    options.ciphers = "HIGH";
    for (std::size_t i = 0; i < number; ++i) options.ciphers += ":!aNULL";
    return trouble_with(options, contexts);
  };
  for (std::size_t i = 0; i < kTlsContextsMax; ++i) EXPECT_EQ(trouble(i), "");
  change_unseen(cafile, "rubbish");
  EXPECT_EQ(trouble(0), "");
  EXPECT_NE(trouble(kTlsContextsMax), "");
  change_unseen(cafile, good_.certificate_pem());
  EXPECT_EQ(trouble(kTlsContextsMax), "");
  change_unseen(cafile, "rubbish");
  EXPECT_EQ(trouble(kTlsContextsMax), "");
  EXPECT_NE(trouble(0), "");
}

constexpr std::int64_t kWallMs = 1'700'000'000'000;

// Servers at several ports, all of one certificate.
class TlsSessions : public testing::Test {
 protected:
  TlsSessions() { beside_times_.behind.fill(wall_ms()); }
  [[nodiscard]] Endpoint at(std::size_t port) const {
    Endpoint server;
    server.host = "localhost";
    server.port = static_cast<std::uint16_t>(port);
    server.tls.emplace();
    server.tls->cafile = cafile_;
    return server;
  }
  // A connection that has been answered.
  std::unique_ptr<TlsStream> connected(const Endpoint& server) {
    std::unique_ptr<TlsStream> ours = contexts_.begin(server).stream;
    test::TlsServerEnd theirs(server_);
    for (int turn = 0; turn < 3; ++turn) {
      const std::string output(ours->output());
      ours->mark_sent(output.size());
      theirs.feed(output);
      if (turn == 2 && theirs.open()) theirs.say("+OK\r\n");
      ours->feed(theirs.take_output());
    }
    std::array<char, 100> buffer;
    EXPECT_EQ(ours->read(buffer), ours->state() == TlsStream::State::open ? 5U : 0U);
    return ours;
  }
  // Connects; was it known already?
  bool known(const Endpoint& server) {
    const std::unique_ptr<TlsStream> stream = connected(server);
    EXPECT_EQ(stream->state(), TlsStream::State::open) << stream->reason();
    contexts_.remember(server, *stream);
    return stream->resumed();
  }
  void make_other_contexts() {
    Endpoint other = at(1);
    other.tls->ciphers = "HIGH";
    for (std::size_t i = 0; i < kTlsContextsMax; ++i) {
      other.tls->ciphers += ":!aNULL";
      EXPECT_EQ(contexts_.begin(other).trouble, "");
    }
  }

  Certificate authority_ = Certificate::authority();
  std::string cafile_ = write_file(temp_path("authority"), authority_.certificate_pem());
  test::TlsServer server_{authority_.issue()};
  // Whoever reads on behind the end of its lists finds times that would do.
  struct {
    TlsContexts contexts;
    std::array<std::int64_t, 200> behind;
  } beside_times_;
  TlsContexts& contexts_ = beside_times_.contexts;
};

TEST_F(TlsSessions, AreKeptUpToTheBoundAndThenBegunAnew) {
  for (std::size_t port = 1; port <= kTlsSessionsMax; ++port) EXPECT_FALSE(known(at(port)));
  EXPECT_TRUE(known(at(1)));
  const std::unique_ptr<TlsStream> under_way = connected(at(1));
  EXPECT_TRUE(under_way->resumed());
  EXPECT_FALSE(known(at(kTlsSessionsMax + 1)));
  // When its server was verified is not known any more.
  contexts_.remember(at(1), *under_way);
  EXPECT_FALSE(known(at(1)));
  EXPECT_TRUE(known(at(kTlsSessionsMax + 1)));
}

TEST_F(TlsSessions, AreTakenUpForAnHourAfterTheirServersWereVerified) {
  test::SystemCalls calls;
  calls.wall_ms = kWallMs;
  EXPECT_FALSE(known(at(1)));
  calls.wall_ms = kWallMs + kTlsTrustedFor.count_ms() - 1;
  EXPECT_TRUE(known(at(1)));
  calls.wall_ms = kWallMs + kTlsTrustedFor.count_ms();
  EXPECT_FALSE(known(at(1)));
  EXPECT_TRUE(known(at(1)));
}

TEST_F(TlsSessions, OfATimeThatIsStillToComeAreNotTakenUp) {
  test::SystemCalls calls;
  calls.wall_ms = kWallMs;
  EXPECT_FALSE(known(at(1)));
  calls.wall_ms = kWallMs - 1;
  EXPECT_FALSE(known(at(1))) << "the clock was set back, nobody knows by how much";
}

TEST_F(TlsSessions, AreForgottenWithTheirContexts) {
  EXPECT_FALSE(known(at(1)));
  const std::unique_ptr<TlsStream> under_way = connected(at(2));
  make_other_contexts();
  contexts_.remember(at(2), *under_way);
  EXPECT_FALSE(known(at(1)));
  EXPECT_FALSE(known(at(2)));
}

TEST_F(TlsSessions, AreForgottenWithTheFilesThatTheirServersWereVerifiedBy) {
  Endpoint other = at(1);
  other.tls->cafile = write_file(temp_path("other"), authority_.certificate_pem());
  for (const bool again : {false, true}) {
    EXPECT_EQ(known(at(1)), again);
    EXPECT_EQ(known(other), again);
  }
  const std::unique_ptr<TlsStream> under_way = connected(at(2));
  write_file(cafile_, authority_.certificate_pem() + "\n");
  EXPECT_FALSE(known(at(1)));
  EXPECT_TRUE(known(other));
  // The file is read again by now, but not for this one.
  contexts_.remember(at(2), *under_way);
  EXPECT_FALSE(known(at(2)));
  write_file(cafile_, Certificate::authority().certificate_pem());
  const std::unique_ptr<TlsStream> distrusted = connected(at(1));
  EXPECT_EQ(distrusted->state(), TlsStream::State::ended);
  EXPECT_EQ(distrusted->fault(), Fault::tls);
}

}  // namespace
}  // namespace redlock::tls_context_test
