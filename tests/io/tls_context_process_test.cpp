// Contexts in a process of their own: how it ends, and what its system asks for.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "io/support/temp_folder.hpp"
#include "redlock/os/tls_context.hpp"
#include "support/certificates.hpp"

namespace redlock::tls_context_process_test {
namespace {

using test::temp_path;
using test::write_file;

// A client may be a static object, and end behind main(). The process is a new one, since in this
// one somebody has begun OpenSSL already.
TEST(TlsAtTheEndOfAProcess, IsStillThere) {
  const auto usable = [] {
    Endpoint server;
    server.host = "localhost";
    server.tls.emplace();
    return TlsContexts().begin(server).stream != nullptr;
  };
  const auto end = [usable] {
    // What begins later ends sooner.
    static const auto kUsable = usable;
    std::atexit([] { _exit(kUsable() ? 0 : 1); });
    std::exit(usable() ? 2 : 3);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

// What a system's own configuration asks for, in a process of its own, since OpenSSL reads it once.
class TlsOnASystem : public testing::Test {
 protected:
  TlsOnASystem() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  ~TlsOnASystem() override { unsetenv("OPENSSL_CONF"); }

  static void allow_from(const std::string& version) {
    const std::string path = write_file(temp_path("openssl.cnf"),
                                        "openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\n"
                                        "system_default = ours\n[ours]\nMinProtocol = " +
                                            version + "\nCipherString = DEFAULT@SECLEVEL=0\n");
    setenv("OPENSSL_CONF", path.c_str(), 1);
  }
  // Says by its exit status whether a client's first words offer these versions and no others.
  [[noreturn]] static void offer(const std::string& versions) {
    Endpoint server;
    server.host = "localhost";
    server.tls.emplace();
    TlsContexts contexts;
    const TlsContexts::Begun begun = contexts.begin(server);
    if (begun.stream == nullptr) _exit(2);
    const auto size = static_cast<char>(versions.size());
    // Their extension's number, its size and theirs.
    std::string extension{'\0', '\x2b', '\0', static_cast<char>(size + 1), size};
    extension += versions;
    _exit(begun.stream->output().find(extension) == std::string_view::npos ? 1 : 0);
  }
};

TEST_F(TlsOnASystem, ThatAllowsOldVersionsOffersNoneOfThem) {
  allow_from("TLSv1");
  EXPECT_EXIT(offer("\x03\x04\x03\x03"), testing::ExitedWithCode(0), "");
}

TEST_F(TlsOnASystem, ThatAsksForMoreOffersNoLess) {
  allow_from("TLSv1.3");
  EXPECT_EXIT(offer("\x03\x04"), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace redlock::tls_context_process_test
